import { flipped, latin1, pdfs, type Recipe, refusedPdfs } from './hostile-file.ts'
import { flate, pdf } from './pdf-writer.ts'

const LARGE = 5_000_000
const between = (text: string) => () => latin1(`%PDF-1.4\n${text.repeat(Math.ceil(LARGE / text.length))}\n%%EOF\n`)
const whole = () =>
  pdf({
    content: 'BT /F 12 Tf (Delivered on 5 May) Tj ET',
    objects: ['<< /A [1 2 (x)] >>', flate('9 0 << /B /C >>', '/Type /ObjStm /N 1 /First 4')],
  })

/** Broken files, and texts for which readers with look-ahead need quadratic time. */
export const malformedPdfs: Recipe[] = [
  ...refusedPdfs(
    'broken off',
    Object.fromEntries(
      [0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99].map((part) => [
        `at ${part * 100} %`,
        () => whole().subarray(0, Math.floor(whole().length * part)),
      ]),
    ),
  ),
  ...refusedPdfs('not a document', {
    'a first line alone': () => latin1('%PDF-1.7\n'),
    'a first and a last line': () => latin1('%PDF-1.7\n%%EOF\n'),
    'bytes by chance': (random) => Buffer.concat([latin1('%PDF-1.7\n'), random.bytes(100_000), latin1('\n%%EOF\n')]),
    'letters by chance': (random) => latin1(`%PDF-1.7\n${random.bytes(100_000).toString('base64')}\n%%EOF\n`),
    'something after its end': () => Buffer.concat([whole(), latin1('MZ')]),
  }),
  ...pdfs('nothing but', {
    'ends of dictionaries before a comment': between('>>%'),
    'comments before a stream that doesn’t come': between('>>%\n'),
    'streams in comments': between('% stream\n'),
    'white space': between(' '),
    'heads of objects': between('1 0 obj '),
    'heads of objects without a keyword': between('1 0 '),
    numbers: between('1'),
    references: between('xref\n0 1\n'),
    trailers: between('trailer << >>\n'),
    'starts of a table': between('startxref 0\n'),
    streams: between('1 0 obj << >> stream\n'),
    'dictionaries that don’t end': between('1 0 obj <<'),
    'lists that don’t end': between('1 0 obj ['),
    'strings that don’t end': between('1 0 obj ('),
    'filters that don’t end': between('/Filter['),
    'signs of numbers in names': between('/#'),
    'objects of nothing': between('1 0 obj endobj\n'),
    'objects, each another': () =>
      latin1(`%PDF-1.4\n${Array.from({ length: 200_000 }, (_, n) => `${n} 0 obj 1 endobj\n`).join('')}%%EOF\n`),
  }),
  ...pdfs(
    'with bits turned over',
    Object.fromEntries(
      [1, 2, 5, 10, 20, 50, 100, 200].map((times) => [`${times}`, (random) => flipped(whole(), random, times)]),
    ),
  ),
]
