import { crc32 } from 'node:zlib'
import { emptyZip, samplePdf, samplePng } from '../../harness/sample-files.ts'
import { deflated, deflatedZeros } from './deflate.ts'
import { flipped, latin1, pictures, type Recipe, refusedPictures } from './hostile-file.ts'

type Chunk = [type: string, body: Buffer]
interface Header {
  width?: number
  height?: number
  depth?: number
  color?: number
  interlace?: number
}

function chunk([type, body]: Chunk): Buffer {
  const named = Buffer.concat([latin1(type), body])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

const header = ({ width = 8, height = 8, depth = 8, color = 0, interlace = 0 }: Header): Chunk => {
  const body = Buffer.alloc(13)
  body.writeUInt32BE(width, 0)
  body.writeUInt32BE(height, 4)
  body.set([depth, color, 0, 0, interlace], 8)
  return ['IHDR', body]
}
const png = (...chunks: Chunk[]) => Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), ...chunks.map(chunk)])
const END: Chunk = ['IEND', Buffer.alloc(0)]
const pixels = (bytes = 72): Chunk => ['IDAT', deflated(Buffer.alloc(bytes))]
const zeros = (megabytes: number): Chunk => ['IDAT', deflatedZeros(megabytes)]
const picture =
  (of: Header, ...chunks: Chunk[]) =>
  () =>
    png(header(of), ...chunks, END)
const texts = (kind: string, before: string, megabytes: number, count: number) =>
  picture({}, ...Array<Chunk>(count).fill([kind, Buffer.concat([latin1(before), deflatedZeros(megabytes)])]), pixels())
const broken = (change: (content: Buffer) => Buffer) => () =>
  change(Buffer.from(samplePng({ width: 300, height: 300 })))
const damaged = (at: number) =>
  broken((content) => {
    content[at < 0 ? content.length + at : at] = 0x5a
    return content
  })

export const pngs: Recipe[] = [
  ...refusedPictures('PNG of a size', {
    'of billions squared': picture({ width: 2_147_483_647, height: 2_147_483_647 }, pixels()),
    'of 65,535 squared': picture({ width: 65_535, height: 65_535 }, zeros(100)),
    'of no width': picture({ width: 0 }, pixels()),
    'of no height': picture({ height: 0 }, pixels()),
    'beyond 31 bits': picture({ width: 4_294_967_295, height: 1 }, pixels()),
    'of a line of 65 million': picture({ width: 65_000_000, height: 1 }, zeros(63)),
    'of a column of 65 million': picture({ width: 1, height: 65_000_000 }, zeros(126)),
    'larger than its pixels': picture({ width: 5_000, height: 5_000 }, pixels()),
  }),
  ...pictures('PNG of many pixels', {
    '64 million of one colour': picture({ width: 8_000, height: 8_000 }, zeros(62)),
    '64 million of 64 bits': picture({ width: 8_000, height: 8_000, depth: 16, color: 6 }, zeros(490)),
    '64 million interlaced': picture({ width: 8_000, height: 8_000, depth: 16, color: 6, interlace: 1 }, zeros(490)),
    'fewer than its data': picture({}, zeros(500)),
    'fewer than gigabytes of its data': picture({}, zeros(3_000)),
    'in a hundred thousand parts': picture({}, ...Array<Chunk>(100_000).fill(['IDAT', Buffer.alloc(0)]), pixels()),
  }),
  ...pictures('PNG with texts', {
    'of 8 MB in one': texts('zTXt', 'C\0\0', 8, 1),
    'of 3 GB in one': texts('zTXt', 'C\0\0', 3_000, 1),
    'of 3 GB in many': texts('zTXt', 'C\0\0', 100, 30),
    'of 10 GB in five thousand': texts('zTXt', 'C\0\0', 2, 1_000),
    'in any language, of 3 GB': texts('iTXt', 'C\0\x01\0\0\0', 3_000, 1),
    'of a hundred thousand': picture({}, ...Array<Chunk>(100_000).fill(['tEXt', latin1('C\0x')]), pixels()),
    'of a hundred thousand without a word': picture(
      {},
      ...Array<Chunk>(100_000).fill(['tEXt', Buffer.alloc(0)]),
      pixels(),
    ),
    'with a colour profile of 3 GB': picture(
      {},
      ['iCCP', Buffer.concat([latin1('p\0\0'), deflatedZeros(3_000)])],
      pixels(),
    ),
    'with a colour profile of garbage': picture(
      {},
      ['iCCP', Buffer.concat([latin1('p\0\0'), deflated(Buffer.alloc(5_000, 0xff))])],
      pixels(),
    ),
    'with an EXIF of garbage': picture(
      {},
      ['eXIf', Buffer.concat([latin1('MM\0*\0\0\0\x08'), Buffer.alloc(60_000, 0xff)])],
      pixels(),
    ),
    'that are not deflated': picture({}, ['zTXt', latin1('C\0\0not deflated')], pixels()),
  }),
  ...refusedPictures('PNG that is damaged', {
    'in the checksum of its header': damaged(29),
    'in its size': damaged(17),
    'in its pixels': damaged(60),
    'in the checksum of its end': damaged(-1),
    'in a length beyond the file': broken((content) => {
      content.writeUInt32BE(0x7fffffff, 33)
      return content
    }),
    'off at a third': broken((content) => content.subarray(0, content.length / 3)),
    'off before its end': broken((content) => content.subarray(0, -12)),
    'off at its first bytes': broken((content) => content.subarray(0, 20)),
    'in all after its first bytes': (random) => Buffer.concat([latin1('\x89PNG\r\n\x1a\n'), random.bytes(5_000)]),
    'because it has no pixels': () => png(header({}), END),
    'because it has no header': () => png(pixels(), END),
    'because it has no colours': () => png(header({ color: 3 }), pixels(), END),
    'in its depth': picture({ depth: 7 }, pixels()),
    'in its colour type': picture({ color: 5 }, pixels()),
    'in its interlacing': picture({ interlace: 9 }, pixels()),
    'in what filters its lines': picture({}, ['IDAT', deflated(Buffer.alloc(72, 0x09))]),
    'by an unknown critical part': picture({}, ['ABCD', Buffer.alloc(10)], pixels()),
  }),
  ...refusedPictures('PNG that is more', {
    'animated, of one frame': picture({}, ['acTL', Buffer.alloc(8)], pixels()),
    'animated, of a million frames': picture(
      {},
      ['acTL', Buffer.from('000f424000000000', 'hex')],
      ...Array<Chunk>(20_000).fill(['fcTL', Buffer.alloc(26)]),
      pixels(),
    ),
    'and an archive': () => samplePng({ after: emptyZip() }),
    'and a document': () => samplePng({ after: samplePdf() }),
    'and a second one': () => samplePng({ after: samplePng() }),
    'and a page in a text': picture({}, ['tEXt', latin1('C\0<script>alert(1)</script>')], pixels()),
    'and a page in a packed text': picture(
      {},
      ['zTXt', Buffer.concat([latin1('C\0\0'), deflated('<html><body>x')])],
      pixels(),
    ),
    'and a page of drawings': picture({}, ['tEXt', latin1('C\0<svg onload="alert(1)">')], pixels()),
  }),
  ...pictures(
    'PNG with bits turned over',
    Object.fromEntries(
      [1, 3, 10, 30].map((times) => [
        `${times}`,
        (random) => flipped(samplePng({ width: 50, height: 50 }), random, times),
      ]),
    ),
  ),
]
