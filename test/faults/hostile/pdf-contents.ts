import { latin1, pdfs, type Recipe } from './hostile-file.ts'
import { flate, pdf, stream } from './pdf-writer.ts'

const MILLION = 1_000_000
const showing = (content: string) => () => pdf({ content })
const form = (content: string, resources: string) =>
  stream(content, `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${resources} >>`)
const font = (members: string, objects: (string | Buffer)[]) => () =>
  pdf({
    content: 'BT /G 12 Tf <0001000200030004> Tj ET',
    resources: '/Font << /G 5 0 R >>',
    objects: [`<< /Type /Font ${members} >>`, ...objects],
  })
const composite = (members: string) =>
  `/Subtype /Type0 /BaseFont /X ${members} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /FontDescriptor << /FontName /X /Flags 4 >> >>]`
const codes = (body: string) => flate(`begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${body} endcmap`)

/** Contents of pages, and their fonts. */
export const pdfContents: Recipe[] = [
  ...pdfs('contents', {
    'millions of texts': showing('BT /F 12 Tf (a) Tj ET '.repeat(2 * MILLION)),
    'millions of texts in one': showing(`BT /F 12 Tf ${'(a) Tj '.repeat(5 * MILLION)} ET`),
    'a list of millions of texts': showing(`BT /F 12 Tf [${'(a) -3000 '.repeat(3 * MILLION)}] TJ ET`),
    'a text of megabytes': showing(`BT /F 12 Tf (${'a'.repeat(40 * MILLION)}) Tj ET`),
    'states kept and never given back': showing('q '.repeat(10 * MILLION)),
    'states given back and never kept': showing('Q '.repeat(10 * MILLION)),
    'texts in texts': showing('BT '.repeat(5 * MILLION)),
    'millions of lines': showing('0 0 m 1 1 l S '.repeat(3 * MILLION)),
    'one path of millions of curves': showing(`0 0 m ${'1 1 2 2 3 3 c '.repeat(3 * MILLION)} S`),
    'unknown operators': showing('foo '.repeat(5 * MILLION)),
    'operands without an operator': showing('1 '.repeat(10 * MILLION)),
    'lists in lists': showing('['.repeat(5 * MILLION)),
    'dictionaries in dictionaries': showing('<</A'.repeat(2 * MILLION)),
    'brackets that nobody closes': showing(`BT ${'('.repeat(10 * MILLION)}`),
    'numbers that nobody closes': showing(`BT ${'<6'.repeat(10 * MILLION)}`),
    'letters spelt by numbers': showing(`BT /F 12 Tf (${'\\101'.repeat(5 * MILLION)}) Tj ET`),
    'a picture in line without an end': showing(`BI /W 9999999 /H 9999999 /BPC 8 /CS /RGB ID ${'x'.repeat(MILLION)}`),
    'marks in marks': showing('/Span << /ActualText (a) >> BDC '.repeat(MILLION)),
    'a form in itself': () =>
      pdf({
        content: '/X Do',
        resources: '/XObject << /X 5 0 R >>',
        objects: [form('/X Do /X Do', '/XObject << /X 5 0 R >>')],
      }),
    'forms, ten in each of ten levels': () =>
      pdf({
        content: '/X Do',
        resources: '/XObject << /X 5 0 R >>',
        objects: Array.from({ length: 10 }, (_, n) =>
          n === 9 ? form('BT /F 12 Tf (a) Tj ET', '') : form('/X Do '.repeat(10), `/XObject << /X ${n + 6} 0 R >>`),
        ),
      }),
    'a pattern in itself': () =>
      pdf({
        content: '/Pattern cs /P scn 0 0 9 9 re f',
        resources: '/Pattern << /P 5 0 R >>',
        objects: [
          stream(
            '/Pattern cs /P scn 0 0 9 9 re f',
            '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.000001 /YStep 0.000001 /Resources << /Pattern << /P 5 0 R >> >>',
          ),
        ],
      }),
    'a function of sixteen dimensions': () =>
      pdf({
        content: '/S sh',
        resources: '/Shading << /S << /ShadingType 1 /ColorSpace /DeviceRGB /Function 5 0 R >> >>',
        objects: [
          stream(
            'x',
            `/FunctionType 0 /Domain [${'0 1 '.repeat(16)}] /Range [0 1] /Size [${'9999 '.repeat(16)}] /BitsPerSample 32`,
          ),
        ],
      }),
    'a program that calls on itself': () =>
      pdf({
        content: '/S sh',
        resources: '/Shading << /S << /ShadingType 1 /ColorSpace /DeviceRGB /Function 5 0 R >> >>',
        objects: [stream('{'.repeat(100_000), '/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]')],
      }),
    'a colour space in itself': () =>
      pdf({ content: '/C cs 1 scn', resources: '/ColorSpace << /C 5 0 R >>', objects: ['[/Indexed 5 0 R 255 5 0 R]'] }),
  }),
  ...pdfs('fonts', {
    'every code a long text': font(composite('/Encoding /Identity-H /ToUnicode 6 0 R'), [
      codes(`1 beginbfrange <0000> <ffff> <${'0041'.repeat(256)}> endbfrange`),
    ]),
    'one range again and again': font(composite('/Encoding /Identity-H /ToUnicode 6 0 R'), [
      codes(`9 beginbfrange ${'<0000> <ffff> <0000> '.repeat(100_000)} endbfrange`),
    ]),
    'a range of billions': font(composite('/Encoding /Identity-H /ToUnicode 6 0 R'), [
      codes('1 beginbfrange <00000000> <ffffffff> <0000> endbfrange'),
    ]),
    'lists of a range without their ends': font(composite('/Encoding /Identity-H /ToUnicode 6 0 R'), [
      codes(`beginbfrange ${'<0><0>['.repeat(MILLION)}`),
    ]),
    'tables without their ends': font(composite('/Encoding /Identity-H /ToUnicode 6 0 R'), [
      codes('beginbfchar '.repeat(MILLION)),
    ]),
    'a code table that uses itself': font(composite('/Encoding 6 0 R'), [
      stream(
        'begincmap 1 begincidrange <0000> <ffff> 0 endcidrange endcmap',
        '/Type /CMap /CMapName /X /UseCMap 6 0 R',
      ),
    ]),
    'codes of billions of glyphs': font(composite('/Encoding 6 0 R'), [
      stream(
        'begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 begincidrange <00000000> <ffffffff> 0 endcidrange endcmap',
        '/Type /CMap /CMapName /X',
      ),
    ]),
    'widths of billions of glyphs': font(
      '/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [0 2147483647 1] /FontDescriptor << /FontName /X /Flags 4 >> >>]',
      [],
    ),
    'a first character of billions': font(
      '/Subtype /TrueType /BaseFont /X /FirstChar -2147483648 /LastChar 2147483647 /Widths [1 2 3]',
      [],
    ),
    'a font that is its own descendant': font(
      '/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [5 0 R]',
      [],
    ),
    'glyphs that show themselves': font(
      '/Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 0 /LastChar 4 /Widths [1 1 1 1 1] /Encoding << /Differences [0 /a /a /a /a /a] >> /CharProcs << /a 6 0 R >> /Resources << /Font << /G 5 0 R >> >>',
      [stream('BT /G 12 Tf <0001> Tj ET', '')],
    ),
    'differences of millions': font(
      `/Subtype /Type1 /BaseFont /X /Encoding << /Differences [0 ${'/a '.repeat(MILLION)}] >>`,
      [],
    ),
    'a program of garbage': font(
      '/Subtype /TrueType /BaseFont /X /FontDescriptor << /FontName /X /Flags 4 /FontFile2 6 0 R >>',
      [
        flate(
          Buffer.concat([latin1('\0\x01\0\0\xff\xff'), Buffer.alloc(500_000, 'glyf\xff\xff\xff\xff')]),
          '/Length1 500000',
        ),
      ],
    ),
    'a compact program of garbage': font(
      '/Subtype /Type1 /BaseFont /X /FontDescriptor << /FontName /X /Flags 4 /FontFile3 6 0 R >>',
      [flate(Buffer.concat([latin1('\x01\0\x04\x04'), Buffer.alloc(500_000, 0xff)]), '/Subtype /Type1C')],
    ),
    'a program of subroutines in themselves': font(
      '/Subtype /Type1 /BaseFont /X /FontDescriptor << /FontName /X /Flags 4 /FontFile 6 0 R >>',
      [
        flate(
          `%!PS-AdobeFont-1.0: X\n/Subrs 999999999 array ${'dup 0 99999999 RD x NP '.repeat(50_000)} eexec`,
          '/Length1 100 /Length2 1000000',
        ),
      ],
    ),
  }),
]
