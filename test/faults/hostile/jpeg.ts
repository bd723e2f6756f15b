import { emptyZip, sampleJpeg, samplePdf } from '../../harness/sample-files.ts'
import { flipped, latin1, pictures, type Recipe, refusedPictures } from './hostile-file.ts'

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([head, body])
}
const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])
const whole = sampleJpeg()
/** The sample with segments before its tables. */
const withSegments =
  (...segments: Buffer[]) =>
  () =>
    Buffer.concat([START, ...segments, whole.subarray(2)])
const exif = (tiff: Buffer) => segment(0xe1, Buffer.concat([latin1('Exif\0\0'), tiff]))
const frameAt = whole.indexOf(Buffer.from([0xff, 0xc0]))
const tablesAt = whole.indexOf(Buffer.from([0xff, 0xc4]))
const scanAt = whole.indexOf(Buffer.from([0xff, 0xda]))

function changed(change: (content: Buffer) => unknown): () => Buffer {
  return () => {
    const content = Buffer.from(whole)
    change(content)
    return content
  }
}
const byte = (at: number, value: number) => changed((content) => content.writeUInt8(value, at))

const GREY_FRAME = (size: number) => Buffer.from([8, size >> 8, size & 0xff, size >> 8, size & 0xff, 1, 1, 0x11, 0])
const QUANTIZATION = segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 16)]))
/** A table of one code, a zero bit. */
const codes = (id: number, symbol: number) => segment(0xc4, Buffer.from([id, 1, ...Array(15).fill(0), symbol]))

/** A progressive image whose scans have a few bytes each and cover all of its pixels again. */
function scans(count: number, size: number): Buffer {
  const blocks = Math.ceil(size / 8) ** 2
  // Runs of 2^14 blocks without a coefficient: one bit of code and fourteen of zeros.
  const run = Buffer.alloc(Math.ceil((Math.ceil(blocks / 16_384) * 15) / 8) + 1)
  const scan = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0])), run])
  const first = Buffer.concat([segment(0xda, Buffer.from([1, 1, 0, 0, 0, 0])), Buffer.alloc(Math.ceil(blocks / 8) + 1)])
  return Buffer.concat([
    START,
    QUANTIZATION,
    segment(0xc2, GREY_FRAME(size)),
    codes(0x00, 0),
    codes(0x10, 0xe0),
    first,
    ...Array(count).fill(scan),
    END,
  ])
}

export const jpegs: Recipe[] = [
  ...refusedPictures('JPEG of a size', {
    'of 65,000 squared': () => sampleJpeg({ width: 65_000, height: 65_000 }),
    'of 65,535 squared': () => sampleJpeg({ width: 65_535, height: 65_535 }),
    'of no width': () => sampleJpeg({ width: 0 }),
    'of no height': () => sampleJpeg({ height: 0 }),
  }),
  ...pictures('JPEG of many scans', {
    'fewer than its size': () => sampleJpeg({ width: 7_000, height: 7_000 }),
    'ten of 64 million pixels': () => scans(10, 8_000),
    'five hundred of 64 million pixels': () => scans(500, 8_000),
    'ten thousand of 64 million pixels': () => scans(10_000, 8_000),
    'a hundred thousand of a few pixels': () => scans(100_000, 16),
  }),
  ...pictures('JPEG with tables', {
    'of codes of nonsense': (random) => withSegments(segment(0xc4, random.bytes(300)))(),
    'of too many codes': withSegments(segment(0xc4, Buffer.from([0, ...Array(16).fill(255)]))),
    'of too short codes': withSegments(
      segment(0xc4, Buffer.from([0, 255, ...Array(15).fill(0), ...Array(255).fill(1)])),
    ),
    'of no codes': () => Buffer.concat([whole.subarray(0, tablesAt), whole.subarray(scanAt)]),
    'of no quantization': () => Buffer.concat([START, whole.subarray(frameAt)]),
    'of a quantization of zeros': withSegments(segment(0xdb, Buffer.alloc(65))),
    'a hundred thousand times': withSegments(...Array(40_000).fill(QUANTIZATION)),
    'with an interval of one': withSegments(segment(0xdd, Buffer.from([0, 1]))),
  }),
  ...pictures('JPEG with a frame', {
    'of twelve bits': byte(frameAt + 4, 12),
    'of no components': byte(frameAt + 9, 0),
    'of 255 components': byte(frameAt + 9, 255),
    'of fifteenfold sampling': byte(frameAt + 11, 0xff),
    'of no sampling': byte(frameAt + 11, 0),
    'without loss': byte(frameAt + 1, 0xc3),
    'of arithmetic codes': byte(frameAt + 1, 0xc9),
    'of a hierarchy': byte(frameAt + 1, 0xc5),
    'given twice': () =>
      Buffer.concat([whole.subarray(0, tablesAt), whole.subarray(frameAt, tablesAt), whole.subarray(tablesAt)]),
    'that is missing': () => Buffer.concat([whole.subarray(0, frameAt), whole.subarray(tablesAt)]),
  }),
  ...pictures('JPEG with texts', {
    'EXIF in itself': withSegments(
      exif(Buffer.from('4d4d002a000000080001010f00020000000400000008 00000008'.replace(' ', ''), 'hex')),
    ),
    'EXIF of billions of values': withSegments(
      exif(Buffer.from('4d4d002a000000080001010f0002ffffffff00000008ffffffff', 'hex')),
    ),
    'EXIF of 65,535 entries': withSegments(
      exif(Buffer.concat([Buffer.from('4d4d002a00000008ffff', 'hex'), Buffer.alloc(60_000, 0x01)])),
    ),
    'EXIF of nonsense': (random) => withSegments(exif(random.bytes(60_000)))(),
    'a colour profile in 255 parts': withSegments(
      ...Array.from({ length: 255 }, (_, n) =>
        segment(0xe2, Buffer.concat([latin1('ICC_PROFILE\0'), Buffer.from([255 - n, 255]), Buffer.alloc(20_000)])),
      ),
    ),
    'twenty thousand comments': withSegments(...Array(20_000).fill(segment(0xfe, latin1('x')))),
    'ninety comments of 64 KB of @': withSegments(...Array(90).fill(segment(0xfe, Buffer.alloc(65_000, '@')))),
    'ninety comments of 64 KB of a@a.': withSegments(...Array(90).fill(segment(0xfe, Buffer.alloc(65_000, 'a@a.')))),
    'extended XMP of nonsense': withSegments(
      segment(0xe1, Buffer.concat([latin1('http://ns.adobe.com/xmp/extension/\0'), Buffer.alloc(60_000, 0xff)])),
    ),
    'a segment without a length': withSegments(Buffer.from([0xff, 0xe5, 0, 0])),
    'a megabyte of fill': withSegments(Buffer.alloc(1_000_000, 0xff)),
  }),
  ...refusedPictures('JPEG that is damaged', {
    'off in its tables': () => whole.subarray(0, tablesAt + 10),
    'off in its scan': () => whole.subarray(0, scanAt + 4),
    'off before its end': () => whole.subarray(0, -3),
    'off at its first bytes': () => whole.subarray(0, 4),
    'in all after its first bytes': (random) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), random.bytes(5_000)]),
  }),
  ...refusedPictures('JPEG that is more', {
    'and an archive': () => sampleJpeg({ after: emptyZip() }),
    'and a document': () => sampleJpeg({ after: samplePdf() }),
    'and a page in a comment': () => sampleJpeg({ comment: '<html><script>alert(1)</script>' }),
    'and a page of drawings': () => sampleJpeg({ comment: '<svg onload=alert(1)>' }),
    'and a page after its end': () => sampleJpeg({ after: latin1('<iframe src="//x">') }),
  }),
  ...pictures(
    'JPEG with bits turned over',
    Object.fromEntries([1, 2, 5, 10, 30].map((times) => [`${times}`, (random) => flipped(whole, random, times)])),
  ),
]
