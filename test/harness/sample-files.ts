import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** Small files of the accepted types. */

export interface PdfParts {
  /** Body of the page's content stream; its texts are set in `font`. */
  content?: string
  /** A dictionary, or a reference to one. */
  font?: string
  /** Compress the content stream. */
  deflate?: boolean
  /** More complete objects: `<< … >>`, with their streams if they have any. */
  objects?: (string | Buffer)[]
  /** Members of the catalogue and the trailer. */
  catalog?: string
  trailer?: string
}

/** A PDF of one page. The cross-reference table is left out: readers rebuild it. */
export function samplePdf({
  content = '',
  font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  deflate = false,
  objects = [],
  catalog = '',
  trailer = '',
}: PdfParts = {}): Buffer {
  const plain = Buffer.from(content.replaceAll(/\bBT(?=\s)/g, 'BT /F 12 Tf'), 'latin1')
  const body = deflate ? deflateSync(plain) : plain
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F ${font} >> >> >>`,
    stream(body, deflate ? '/Filter /FlateDecode' : ''),
    ...objects,
  ]
  const parts = all.flatMap((object, index) => [
    Buffer.from(`${index + 1} 0 obj\n`),
    Buffer.from(object as string, 'latin1'),
    Buffer.from('\nendobj\n'),
  ])
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...parts,
    Buffer.from(`trailer\n<< /Root 1 0 R /Size ${all.length + 1} ${trailer} >>\nstartxref\n0\n%%EOF\n`),
  ])
}

/** A readable PDF of about that many random bytes, in a comment, because random operators often make no valid page. */
export const randomPdf = (bytes: number): Buffer =>
  samplePdf({ content: `% ${randomBytes(bytes / 2).toString('hex')}` })

/** A stream object. */
export const stream = (body: Buffer, dictionary = ''): Buffer =>
  Buffer.concat([Buffer.from(`<< ${dictionary} /Length ${body.length} >>\nstream\n`), body, Buffer.from('\nendstream')])

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** Larger images are refused before a pixel is read. */
const MAX_DRAWN = 64_000_000

/** A black PNG of the given size, in pixels; `chunks` come before its data, `after` follows its end. */
export function samplePng({
  width = 2,
  height = 2,
  chunks = [] as [string, Buffer][],
  after = Buffer.alloc(0) as Buffer,
} = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  const drawn = width * height <= MAX_DRAWN ? (width + 1) * height : 16
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...chunks.map(([type, body]) => chunk(type, body)),
    chunk('IDAT', deflateSync(Buffer.alloc(drawn))),
    chunk('IEND', Buffer.alloc(0)),
    after,
  ])
}

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** A grey square of 2 by 2 pixels, as libjpeg writes it. */
const JPEG = Buffer.from(
  '/9j/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhC' +
    'Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAACAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAA' +
    'AAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AKAA/9k=',
  'base64',
)

/** A JPEG that claims the given size, in pixels; `comment` in a COM segment, `after` follows its end. */
export function sampleJpeg({ width = 2, height = 2, comment = '', after = Buffer.alloc(0) as Buffer } = {}): Buffer {
  const picture = Buffer.from(JPEG)
  const frame = picture.indexOf(Buffer.from([0xff, 0xc0]))
  picture.writeUInt16BE(height, frame + 5)
  picture.writeUInt16BE(width, frame + 7)
  return Buffer.concat([
    picture.subarray(0, 2),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...(comment ? [segment(0xfe, Buffer.from(comment, 'latin1'))] : []),
    picture.subarray(2),
    after,
  ])
}

/** The end record of a ZIP: an empty archive. */
export const emptyZip = (): Buffer => Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])
