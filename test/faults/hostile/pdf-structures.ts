import { pdfs, type Recipe } from './hostile-file.ts'
import { flate, pdf, stream, table } from './pdf-writer.ts'

const list = (length: number, item: (n: number) => string) => Array.from({ length }, (_, n) => item(n))
const withTrailer = (trailer: string) => () => pdf({ trailer })
const withEnd = (end: (offsets: number[], at: number) => string) => () => pdf({ end })
const withPages =
  (pages: string, objects: string[] = []) =>
  () =>
    pdf({ pages, objects })
/** Page tree nodes from number 5 on, nested in each other. */
const deep = (levels: number) => () =>
  pdf({
    pages: '<< /Type /Pages /Kids [5 0 R] /Count 1 >>',
    objects: list(levels, (n) =>
      n === levels - 1
        ? `<< /Type /Pages /Parent ${n + 4} 0 R /Kids [3 0 R] /Count 1 >>`
        : `<< /Type /Pages /Parent ${n + 4} 0 R /Kids [${n + 6} 0 R] /Count 1 >>`,
    ),
  })
const xrefStream = (members: string, body: Buffer) => (offsets: number[], at: number) =>
  Buffer.concat([
    Buffer.from(`${offsets.length + 1} 0 obj\n`),
    stream(body, `/Type /XRef /Root 1 0 R ${members}`),
    Buffer.from(`\nendobj\nstartxref\n${at}\n%%EOF\n`),
  ])

/** Documents with circular references, or with false sizes and counts. */
export const pdfStructures: Recipe[] = [
  ...pdfs('tables of references', {
    'before itself': withEnd((offsets, at) => table(offsets, at, `/Prev ${at}`)),
    'two before each other': withEnd((offsets, at) => {
      const first = table(offsets, at, `/Prev ${at + 200}`)
      return `${first}${table(offsets, at + first.length, `/Prev ${at}`)}`
    }),
    'a hybrid one that is itself': withEnd((offsets, at) => table(offsets, at, `/XRefStm ${at}`)),
    'a chain of a thousand': withEnd((offsets, at) => {
      let all = ''
      for (let n = 0; n < 1_000; n++) all += table(offsets, at + all.length, n === 0 ? '' : `/Prev ${at}`)
      return all
    }),
    'billions of entries': withEnd(
      (_, at) => `xref\n0 2147483647\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
    'a size of billions': withTrailer('/Size 2147483647'),
    'a start beyond the file': withEnd((offsets) => table(offsets, 999_999_999)),
    'a negative start': withEnd((offsets) => table(offsets, -5)),
    'no root': withEnd((_, at) => `trailer\n<< /Size 1 >>\nstartxref\n${at}\n%%EOF\n`),
    'a root that is itself a reference to itself': () => pdf({ trailer: '/Root 5 0 R', objects: ['5 0 R'] }),
    'offsets that all are one': withEnd((offsets, at) =>
      table(
        offsets.map(() => offsets[0] ?? 0),
        at,
      ),
    ),
    'a stream with wide fields': () =>
      pdf({ end: xrefStream('/W [1000000 1000000 1000000] /Size 1000', Buffer.alloc(3_000)) }),
    'a stream of billions': () =>
      pdf({ end: xrefStream('/W [1 2 1] /Index [0 2147483647] /Size 2147483647', Buffer.alloc(400)) }),
    'a stream with negative fields': () => pdf({ end: xrefStream('/W [-1 -2 -1] /Size 5', Buffer.alloc(20)) }),
    'a stream of fields of no width': () =>
      pdf({ end: xrefStream('/W [0 0 0] /Index [0 100000000] /Size 100000000', Buffer.alloc(20)) }),
  }),
  ...pdfs('page trees', {
    'a thousand levels': deep(1_000),
    'thirty thousand levels': deep(30_000),
    'a node in itself': withPages('<< /Type /Pages /Kids [2 0 R] /Count 1 >>'),
    'two nodes in each other': withPages('<< /Type /Pages /Kids [5 0 R] /Count 1 >>', [
      '<< /Type /Pages /Kids [2 0 R] /Count 1 >>',
    ]),
    'ten to the power of twelve pages': withPages(
      '<< /Type /Pages /Kids [5 0 R] /Count 1000000000000 >>',
      list(
        12,
        (n) =>
          `<< /Type /Pages /Kids [${list(10, () => (n === 11 ? '3 0 R' : `${n + 6} 0 R`)).join(' ')}] /Count 1000000000 >>`,
      ),
    ),
    'one page a hundred thousand times': withPages(
      `<< /Type /Pages /Kids [${'3 0 R '.repeat(100_000)}] /Count 100000 >>`,
    ),
    'a count of billions': withPages('<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>'),
    'a negative count': withPages('<< /Type /Pages /Kids [3 0 R] /Count -7 >>'),
    'a count that is text': withPages('<< /Type /Pages /Kids [3 0 R] /Count (many) >>'),
    'no pages': withPages('<< /Type /Pages /Kids [] /Count 0 >>'),
    'no kids': withPages('<< /Type /Pages /Count 3 >>'),
    'kids that are missing': withPages('<< /Type /Pages /Kids [77 0 R 78 0 R] /Count 2 >>'),
    'pages that are the catalogue': withPages('1 0 R'),
    'ten thousand pages': withPages(
      `<< /Type /Pages /Kids [${list(10_000, (n) => `${n + 5} 0 R`).join(' ')}] /Count 10000 >>`,
      list(10_000, () => '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'),
    ),
    'what is inherited from itself': withPages(
      '<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 2 0 R /Resources 2 0 R >>',
    ),
  }),
  ...pdfs(
    'pages',
    Object.fromEntries(
      (
        [
          ['as large as a planet', '/MediaBox [0 0 1e30 1e30]'],
          ['of negative size', '/MediaBox [9 9 -9 -9]'],
          ['of no number', '/MediaBox [(a) null true << >>]'],
          ['in units of a billion', '/MediaBox [0 0 9 9] /UserUnit 1000000000'],
          ['turned by 45 degrees', '/MediaBox [0 0 9 9] /Rotate 45'],
          ['with a box of a million sides', `/MediaBox [${'0 '.repeat(1_000_000)}]`],
          ['that contain themselves', '/MediaBox [0 0 9 9] /Contents 3 0 R'],
          ['with one content a hundred thousand times', `/MediaBox [0 0 9 9] /Contents [${'4 0 R '.repeat(100_000)}]`],
          [
            'with a hundred thousand notes',
            `/MediaBox [0 0 9 9] /Annots [${'<< /Subtype /Text /Contents (x) >>'.repeat(100_000)}]`,
          ],
          ['with a note in itself', '/MediaBox [0 0 9 9] /Annots 3 0 R /Parent 3 0 R'],
        ] as const
      ).map(([name, members]) => [
        name,
        () => pdf({ page: `<< /Type /Page /Parent 2 0 R ${members} >>`, content: 'BT (x) Tj ET '.repeat(1_000) }),
      ]),
    ),
  ),
  ...pdfs('trees of the document', {
    'an outline in itself': () =>
      pdf({ catalog: '/Outlines 5 0 R', objects: ['<< /First 5 0 R /Last 5 0 R /Next 5 0 R /Title (x) >>'] }),
    'names in themselves': () => pdf({ catalog: '/Names << /Dests 5 0 R >>', objects: ['<< /Kids [5 0 R 5 0 R] >>'] }),
    'page labels in themselves': () =>
      pdf({ catalog: '/PageLabels 5 0 R', objects: ['<< /Kids [5 0 R] /Nums [0 << /S /D /St 999999999 >>] >>'] }),
    'structure in itself': () =>
      pdf({
        catalog: '/StructTreeRoot 5 0 R /MarkInfo << /Marked true >>',
        objects: ['<< /Type /StructTreeRoot /K 5 0 R /P 5 0 R >>'],
      }),
    'fields in themselves': () =>
      pdf({
        catalog: '/AcroForm << /Fields [5 0 R] >>',
        objects: ['<< /T (a) /Kids [5 0 R] /Parent 5 0 R /FT /Tx >>'],
      }),
    'a destination that is itself': () => pdf({ catalog: '/OpenAction 5 0 R', objects: ['5 0 R'] }),
    'a hundred thousand layers': () =>
      pdf({ catalog: `/OCProperties << /OCGs [${'<< /Type /OCG /Name (x) >>'.repeat(100_000)}] /D << >> >>` }),
    'a billion laughs in the metadata': () =>
      pdf({
        catalog: '/Metadata 5 0 R',
        objects: [
          stream(
            `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${list(12, (n) => `<!ENTITY ${'bcdefghijklm'[n]} "${`&${'abcdefghijkl'[n]};`.repeat(10)}">`).join('')}]><x>&m;</x>`,
            '/Type /Metadata /Subtype /XML',
          ),
        ],
      }),
    'megabytes of author': () => pdf({ trailer: '/Info 5 0 R', objects: [`<< /Author (${'a'.repeat(3_000_000)}) >>`] }),
    'a version of nonsense': () => pdf({ catalog: `/Version /${'9'.repeat(10_000)} /Extensions 1 0 R` }),
    'streams of everything': () => pdf({ objects: list(20_000, () => flate('x').toString('latin1')) }),
  }),
]
