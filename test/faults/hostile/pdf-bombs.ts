import { deflated, deflatedZeros } from './deflate.ts'
import { latin1, pdfs, type Recipe } from './hostile-file.ts'
import { flate, objectStream, pdf, stream } from './pdf-writer.ts'

const MILLION = 1_000_000
const inObjects = (object: string) => () => pdf({ objects: [objectStream(object)] })
const filled = (body: Buffer, filter: string) => () => pdf({ content: stream(body, `/Filter ${filter}`) })
const repeated = (text: string, times: number) => text.repeat(times)

/** Small files that expand to large or many objects. */
export const pdfBombs: Recipe[] = [
  ...pdfs('objects in a stream', {
    'empty dictionaries': inObjects(`[${repeated('<<>>', 15 * MILLION)}]`),
    'empty dictionaries, fewer': inObjects(`[${repeated('<<>>', 2 * MILLION)}]`),
    'empty lists': inObjects(`[${repeated('[]', 20 * MILLION)}]`),
    'lists in lists': inObjects(`${repeated('[', 5 * MILLION)}`),
    'lists in lists, closed': inObjects(`${repeated('[', 100_000)}${repeated(']', 100_000)}`),
    'dictionaries in dictionaries': inObjects(repeated('<</A', 2 * MILLION)),
    'dictionaries in dictionaries, closed': inObjects(`${repeated('<</A', 50_000)} 1 ${repeated('>>', 50_000)}`),
    numbers: inObjects(`[${repeated('1 ', 20 * MILLION)}]`),
    'long numbers': inObjects(`[${repeated('9', 20 * MILLION)}]`),
    references: inObjects(`[${repeated('1 0 R ', 8 * MILLION)}]`),
    'one name': inObjects(`[${repeated('/A', 20 * MILLION)}]`),
    'names, each another': inObjects(`[${Array.from({ length: MILLION }, (_, n) => `/N${n}`).join('')}]`),
    'a name of megabytes': inObjects(`/${repeated('#41', 10 * MILLION)}`),
    'empty strings': inObjects(`[${repeated('()', 20 * MILLION)}]`),
    'a string of megabytes': inObjects(`(${repeated('a', 40 * MILLION)})`),
    'brackets in a string': inObjects(`(${repeated('(', 20 * MILLION)}`),
    'hexadecimal strings': inObjects(`[${repeated('<41>', 10 * MILLION)}]`),
    nulls: inObjects(`[${repeated('null ', 8 * MILLION)}]`),
    comments: inObjects(repeated('%\n', 20 * MILLION)),
    'white space': inObjects(repeated(' ', 60 * MILLION)),
    'a count of billions': () => pdf({ objects: [flate('9 0 1', '/Type /ObjStm /N 2000000000 /First 4')] }),
    'a negative count': () => pdf({ objects: [flate('9 0 1', '/Type /ObjStm /N -5 /First -9')] }),
    'a stream that extends itself': () =>
      pdf({ objects: [flate('9 0 1', '/Type /ObjStm /N 1 /First 4 /Extends 5 0 R')] }),
  }),
  ...pdfs('filters', {
    'Flate to 200 MB': filled(deflatedZeros(200), '/FlateDecode'),
    'Flate to 3 GB': filled(deflatedZeros(3_000), '/FlateDecode'),
    'Flate in Flate to 1 GB': filled(deflated(deflatedZeros(1_000)), '[/FlateDecode /FlateDecode]'),
    'Flate in Flate in Flate to 3 GB': filled(
      deflated(deflated(deflatedZeros(3_000))),
      '[/FlateDecode /FlateDecode /FlateDecode]',
    ),
    'many streams of 60 MB': () => pdf({ objects: Array(30).fill(stream(deflatedZeros(60), '/Filter /FlateDecode')) }),
    'run lengths': filled(
      Buffer.concat([Buffer.alloc(2 * MILLION, Buffer.from([129, 65])), Buffer.from([128])]),
      '/RunLengthDecode',
    ),
    'run lengths in Flate': filled(
      deflated(Buffer.alloc(20 * MILLION, Buffer.from([129, 65]))),
      '[/FlateDecode /RunLengthDecode]',
    ),
    'LZW without an end': filled(Buffer.alloc(2 * MILLION, 0x55), '/LZWDecode'),
    'LZW in Flate': filled(deflated(Buffer.alloc(40 * MILLION, 0x80)), '[/FlateDecode /LZWDecode]'),
    'ASCII85 of zeros': filled(latin1(`${repeated('z', 3 * MILLION)}~>`), '/ASCII85Decode'),
    'ASCII85 in Flate': filled(deflated(`${repeated('z', 50 * MILLION)}~>`), '[/FlateDecode /ASCII85Decode]'),
    'hexadecimal without an end': filled(Buffer.alloc(3 * MILLION, '4'), '/ASCIIHexDecode'),
    'a hundred filters': filled(latin1('41>'), `[${repeated('/ASCIIHexDecode ', 100)}]`),
    'a hundred thousand filters': filled(latin1('41>'), `[${repeated('/FlateDecode ', 100_000)}]`),
    'a filter that is itself': () => pdf({ content: stream('x', '/Filter 4 0 R') }),
    'an unknown filter': filled(latin1('x'), '/Unknown'),
    'a predictor of billions of columns': () =>
      pdf({
        content: flate('x', '/DecodeParms << /Predictor 15 /Columns 2000000000 /Colors 32 /BitsPerComponent 16 >>'),
      }),
    'damaged Flate': filled(
      Buffer.concat([deflatedZeros(50).subarray(0, 20_000), Buffer.alloc(1_000, 0xff)]),
      '/FlateDecode',
    ),
    'a length of gigabytes': () => pdf({ content: latin1('<< /Length 4000000000 >>\nstream\nx\nendstream') }),
    'a length that is the stream itself': () => pdf({ content: latin1('<< /Length 4 0 R >>\nstream\nx\nendstream') }),
    'no end of a stream': () => pdf({ objects: [latin1('<< /Length 10 >>\nstream\nx')] }),
  }),
  ...pdfs(
    'pictures in a PDF',
    Object.fromEntries(
      (
        [
          [
            'JBIG2Decode',
            Buffer.from('0000000030000100000013ffffffffffffffff000000000000000000'.replace(/(..)/g, '$1'), 'hex'),
          ],
          [
            'JPXDecode',
            Buffer.from(
              '0000000c6a5020200d0a870a00000014667479706a703220000000006a70322000000016696864720000ffff0000ffff00030707',
              'hex',
            ),
          ],
          ['DCTDecode', Buffer.from('ffd8ffc0001108ffffffff03012200021101031101ffd9', 'hex')],
          ['CCITTFaxDecode', Buffer.alloc(1_000)],
          ['FlateDecode', deflatedZeros(500)],
        ] as const
      ).flatMap(([filter, body]) =>
        [65_535, 2_000_000_000].map((size) => [
          `${filter} of ${size} pixels squared`,
          () =>
            pdf({
              content: 'q 100 0 0 100 0 0 cm /I Do Q',
              resources: '/XObject << /I 5 0 R >>',
              objects: [
                stream(
                  body,
                  `/Type /XObject /Subtype /Image /Width ${size} /Height ${size} /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /${filter} /DecodeParms << /Columns ${size} >>`,
                ),
              ],
            }),
        ]),
      ),
    ),
  ),
]
