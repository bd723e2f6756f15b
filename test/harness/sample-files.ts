import { deflateSync } from 'node:zlib'

/** Small files of the accepted kinds, as tests need them. */

export interface PdfParts {
  /** Body of the page's content stream. */
  content?: string
  /** Compress the content stream. */
  deflate?: boolean
  /** Further objects, whole: `<< … >>`, with their streams if they have any. */
  objects?: (string | Buffer)[]
  /** Members of the catalogue and the trailer. */
  catalog?: string
  trailer?: string
}

/** A PDF of one page. The cross-reference table is left out: readers rebuild it. */
export function samplePdf({
  content = '',
  deflate = false,
  objects = [],
  catalog = '',
  trailer = '',
}: PdfParts = {}): Buffer {
  const body = deflate ? deflateSync(Buffer.from(content, 'latin1')) : Buffer.from(content, 'latin1')
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>',
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

/** A stream object. */
export const stream = (body: Buffer, dictionary = ''): Buffer =>
  Buffer.concat([Buffer.from(`<< ${dictionary} /Length ${body.length} >>\nstream\n`), body, Buffer.from('\nendstream')])

const chunk = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, Buffer.from(type), body, Buffer.alloc(4)])
}

/** A PNG of the given size, in pixels; `chunks` stand before its data, `behind` after its end. */
export function samplePng({
  width = 2,
  height = 2,
  chunks = [] as [string, Buffer][],
  behind = Buffer.alloc(0) as Buffer,
} = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(8, 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...chunks.map(([type, body]) => chunk(type, body)),
    chunk('IDAT', deflateSync(Buffer.alloc(16))),
    chunk('IEND', Buffer.alloc(0)),
    behind,
  ])
}

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}

/** A JPEG of the given size, in pixels; `comment` in a COM segment, `behind` after its end. */
export function sampleJpeg({ width = 2, height = 2, comment = '', behind = Buffer.alloc(0) as Buffer } = {}): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...(comment ? [segment(0xfe, Buffer.from(comment, 'latin1'))] : []),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd3, 0x56, 0xff, 0xd9]),
    behind,
  ])
}

/** The end record of a ZIP: an empty archive. */
export const emptyZip = (): Buffer => Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)])
