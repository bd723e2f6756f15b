import { deflated } from './deflate.ts'
import { latin1, type Recipe, refusedPdfs } from './hostile-file.ts'
import { flate, objectStream, pdf, stream, table } from './pdf-writer.ts'

const SCRIPT = '<< /S /JavaScript /JS (app.alert(1)) >>'
const holding =
  (...objects: (string | Buffer)[]) =>
  () =>
    pdf({ objects })

/** Documents with active content, embedded files or hidden content. */
export const activePdfs: Recipe[] = [
  ...refusedPdfs('scripts', {
    'when it is opened': () => pdf({ catalog: `/OpenAction ${SCRIPT}` }),
    'when it is closed': () => pdf({ catalog: `/AA << /WC ${SCRIPT} >>` }),
    'by name': () => pdf({ catalog: `/Names << /JavaScript << /Names [(x) ${SCRIPT}] >> >>` }),
    'of a page': () => pdf({ page: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /AA << /O ${SCRIPT} >> >>` }),
    'of a note': () =>
      pdf({
        page: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots [<< /Subtype /Link /Rect [0 0 9 9] /A ${SCRIPT} >>] >>`,
      }),
    'of a field': () =>
      pdf({ catalog: '/AcroForm << /Fields [5 0 R] >>', objects: [`<< /T (a) /FT /Tx /AA << /K ${SCRIPT} >> >>`] }),
    'of an outline': () => pdf({ catalog: '/Outlines << /First 5 0 R >>', objects: [`<< /Title (x) /A ${SCRIPT} >>`] }),
    'that nothing refers to': holding(SCRIPT),
    'spelt by numbers': holding('<< /S /#4aavaScript /#4a#53 (x) >>'),
    'in a stream': holding('<< /S /JavaScript /JS 6 0 R >>', stream('app.alert(1)')),
    'in compressed objects': holding(objectStream(SCRIPT)),
    'in compressed objects of a spelt type': holding(flate(`9 0 ${SCRIPT}`, '/Type /Obj#53tm /N 1 /First 4')),
    'in compressed objects that are a picture': holding(
      flate(`9 0 ${SCRIPT}`, '/Type /ObjStm /Subtype /Image /N 1 /First 4'),
    ),
    'in compressed objects of no type': holding(flate(`9 0 ${SCRIPT}`, '/N 1 /First 4')),
    'in compressed objects under two filters': holding(
      stream(
        `${deflated(`9 0 ${SCRIPT}`).toString('hex')}>`,
        '/Type /ObjStm /N 1 /First 4 /Filter [/ASCIIHexDecode /FlateDecode]',
      ),
    ),
    'in compressed objects whose filter stands elsewhere': holding(
      stream(deflated(`9 0 ${SCRIPT}`), '/Type /ObjStm /N 1 /First 4 /Filter 6 0 R'),
      '/FlateDecode',
    ),
    'in a comment': holding(`null\n% 9 0 obj ${SCRIPT} endobj`),
    'in an object without an end': holding('<< /S /JavaScript /JS (x) '),
    'in an object that a later one replaces': () =>
      pdf({ objects: [SCRIPT], end: (offsets, at) => `5 0 obj\nnull\nendobj\n${table(offsets, at + 20)}` }),
    'after garbage': holding(
      Buffer.concat([latin1('null\nendobj\n'), Buffer.alloc(5_000, 0xfe), latin1(`\n9 0 obj\n${SCRIPT}`)]),
    ),
  }),
  ...refusedPdfs('actions', {
    'that start a program': () => pdf({ catalog: '/OpenAction << /S /Launch /F (calc.exe) >>' }),
    'that start a program of a system': holding('<< /S /Launch /Win << /F (cmd.exe) /P (/c calc) >> >>'),
    'that open another document within': holding('<< /S /GoToE /T << /R /C /N (x) >> >>'),
  }),
  ...refusedPdfs('files within', {
    'by name': () =>
      pdf({
        catalog: '/Names << /EmbeddedFiles << /Names [(x) 5 0 R] >> >>',
        objects: ['<< /Type /Filespec /EF << /F 6 0 R >> >>', stream('MZ', '/Type /EmbeddedFile')],
      }),
    'attached to a page': holding(stream('MZ', '/Type /EmbeddedFile')),
    'a video player': holding('<< /Subtype /RichMedia >>'),
    'a form in XML': () => pdf({ catalog: '/AcroForm << /XFA 5 0 R /Fields [] >>', objects: [stream('<xdp:xdp/>')] }),
  }),
  ...refusedPdfs('encryption', {
    'by a password': () =>
      pdf({ trailer: '/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (x) /U (x) >> /ID [(a) (a)]' }),
    'by an object': () =>
      pdf({ trailer: '/Encrypt 5 0 R /ID [(a) (a)]', objects: ['<< /Filter /Standard /V 5 /R 6 /P -4 >>'] }),
    'by an unknown handler': () => pdf({ trailer: '/Encrypt << /Filter /Nobody /V 99 >>' }),
  }),
]
