import { deflated } from './deflate.ts'
import { latin1 } from './hostile-file.ts'

type Part = string | Buffer

const bytesOf = (part: Part) => (typeof part === 'string' ? latin1(part) : part)

export const stream = (body: Part, dictionary = ''): Buffer => {
  const bytes = bytesOf(body)
  return Buffer.concat([latin1(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`), bytes, latin1('\nendstream')])
}
export const flate = (body: Part, dictionary = '') =>
  stream(deflated(bytesOf(body)), `${dictionary} /Filter /FlateDecode`)
/** An object stream with one object. */
export const objectStream = (object: string) => flate(`9 0 ${object}`, '/Type /ObjStm /N 1 /First 4')

export interface Parts {
  /** Added to the catalogue. `pages` and `page` replace the page tree and the page. */
  catalog?: string
  pages?: string
  page?: string
  /** Members of the page. */
  resources?: string
  content?: Part
  /** From number 5 on. */
  objects?: Part[]
  trailer?: string
  /** Replaces the table of references, the trailer and what follows. */
  end?: (offsets: number[], at: number) => Part
}

/** A PDF with a correct table of references, except for the given parts. */
export function pdf(parts: Parts = {}): Buffer {
  const objects: Part[] = [
    `<< /Type /Catalog /Pages 2 0 R ${parts.catalog ?? ''} >>`,
    parts.pages ?? '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    parts.page ??
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> ${parts.resources ?? ''} >> >>`,
    typeof parts.content === 'string' || parts.content === undefined
      ? flate(parts.content ?? 'BT /F 12 Tf (x) Tj ET')
      : parts.content,
    ...(parts.objects ?? []),
  ]
  const pieces: Buffer[] = [latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')]
  const offsets: number[] = []
  let at = pieces[0]?.length ?? 0
  objects.forEach((object, index) => {
    offsets.push(at)
    const piece = Buffer.concat([latin1(`${index + 1} 0 obj\n`), bytesOf(object), latin1('\nendobj\n')])
    pieces.push(piece)
    at += piece.length
  })
  const end = parts.end?.(offsets, at) ?? table(offsets, at, parts.trailer)
  return Buffer.concat([...pieces, bytesOf(end)])
}

export const table = (offsets: readonly number[], at: number, trailer = ''): string => {
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = offsets.length + 1
  return `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Root 1 0 R /Size ${size} ${trailer} >>\nstartxref\n${at}\n%%EOF\n`
}
