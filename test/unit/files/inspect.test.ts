import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { addressesIn } from '../../../domain/accounts/addresses.ts'
import type { FilePurpose } from '../../../domain/evidence/file.ts'
import { checkFile } from '../../../files/inspect.ts'
import { emptyZip, sampleJpeg, samplePdf, samplePng, stream } from '../../harness/sample-files.ts'

const [FILE, IMAGE] = ['evidence_file', 'evidence_image'] as const satisfies FilePurpose[]
const bytes = (text: string) => Buffer.from(text, 'latin1')
const deflated = (text: string | Buffer) => deflateSync(typeof text === 'string' ? bytes(text) : text)
const objects = (text: string) => stream(deflated(text), '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode')
const js = '<< /S /JavaScript /JS (app.alert(1)) >>'
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')
const png = samplePng()

describe('files that are evidence', () => {
  test.each<[string, Buffer, FilePurpose, string]>([
    ['a PDF', samplePdf({ content: 'BT (hello) Tj ET' }), FILE, 'application/pdf'],
    ['a compressed PDF', samplePdf({ content: 'BT (hello) Tj ET', deflate: true }), FILE, 'application/pdf'],
    ['a PDF that opens on a page', samplePdf({ catalog: '/OpenAction [3 0 R /Fit]' }), FILE, 'application/pdf'],
    [
      'a PDF whose text mentions JavaScript',
      samplePdf({ content: 'BT (/JavaScript /Launch) Tj ET' }),
      FILE,
      'application/pdf',
    ],
    ['a PNG', png, IMAGE, 'image/png'],
    ['a JPEG', sampleJpeg(), IMAGE, 'image/jpeg'],
    ['a JPEG followed by a preview, as phones make them', sampleJpeg({ after: sampleJpeg() }), IMAGE, 'image/jpeg'],
    ['a picture of 64 million pixels', samplePng({ width: 8_000, height: 8_000 }), IMAGE, 'image/png'],
  ])('%s', async (_, content, purpose, type) => {
    expect(await checkFile(content, purpose)).toEqual({ type })
  })
})

describe('files of another type, whatever they are called', () => {
  test.each<[string, Buffer, FilePurpose]>([
    ['text', bytes('hello'), FILE],
    ['HTML', bytes('<!doctype html><script>1</script>'), FILE],
    ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), IMAGE],
    ['GIF', bytes('GIF89a\x01\0\x01\0'), IMAGE],
    ['WebP', bytes('RIFF\x1a\0\0\0WEBPVP8L'), IMAGE],
    ['a program', bytes('MZ\x90\0'), FILE],
    ['a ZIP, or an office document', bytes('PK\x03\x04'), FILE],
    ['gzip', bytes('\x1f\x8b\x08\0'), FILE],
    ['PostScript', bytes('%!PS-Adobe-3.0'), FILE],
    ['a PDF for an image', samplePdf(), IMAGE],
    ['a PNG for a document', png, FILE],
    ['a JPEG for a document', sampleJpeg(), FILE],
    ['HTML before a PDF', Buffer.concat([bytes('<html>\n'), samplePdf()]), FILE],
    ['half a magic number', bytes('%PD'), FILE],
  ])('%s is refused', async (_, content, purpose) => {
    expect(await checkFile(content, purpose)).toMatchObject({ refused: 'type' })
  })
})

describe('files that are hostile or broken', () => {
  test.each<[string, Buffer, FilePurpose, string]>([
    ['a PDF with JavaScript', samplePdf({ objects: [js] }), FILE, 'JavaScript'],
    ['… whose name has a hexadecimal escape', samplePdf({ objects: ['<< /S /J#61vaScript >>'] }), FILE, 'JavaScript'],
    ['… in a compressed object', samplePdf({ objects: [objects(`5 0 ${js}`)] }), FILE, 'JavaScript'],
    [
      '… in a compressed object whose type has a hexadecimal escape',
      samplePdf({ objects: [stream(deflated(`5 0 ${js}`), '/Type /Obj#53tm /N 1 /First 4 /Filter /FlateDecode')] }),
      FILE,
      'JavaScript',
    ],
    [
      '… in a compressed object that claims to be a picture',
      samplePdf({
        objects: [stream(deflated(`5 0 ${js}`), '/Type /ObjStm /N 1 /First 4 /Subtype /Image /Filter /FlateDecode')],
      }),
      FILE,
      'JavaScript',
    ],
    [
      'a PDF that starts a program',
      samplePdf({ catalog: '/OpenAction << /S /Launch /F (calc.exe) >>' }),
      FILE,
      'starts programs',
    ],
    [
      'a PDF with a file in it',
      samplePdf({ objects: [stream(bytes('MZ'), '/Type /EmbeddedFile')] }),
      FILE,
      'other files',
    ],
    ['a PDF with a video player', samplePdf({ objects: ['<< /Subtype /RichMedia >>'] }), FILE, 'other files'],
    ['a PDF with an XFA form', samplePdf({ catalog: '/AcroForm << /XFA 5 0 R >>' }), FILE, 'interactive'],
    ['an encrypted PDF', samplePdf({ trailer: '/Encrypt 9 0 R' }), FILE, 'encrypted'],
    [
      'objects with a filter that is not supported',
      samplePdf({ objects: [stream(bytes(js), '/Type /ObjStm /Filter [/ASCIIHexDecode /FlateDecode]')] }),
      FILE,
      'can’t be read',
    ],
    [
      'a PDF that inflates to more than 64 MB',
      samplePdf({ objects: [stream(deflated(Buffer.alloc(70_000_000)), '/Filter /FlateDecode')] }),
      FILE,
      '64 MB',
    ],
    ['a PDF and HTML', samplePdf({ catalog: '/X (<html><script>alert(1)</script>)' }), FILE, 'another kind'],
    [
      'a PDF and a ZIP',
      Buffer.concat([samplePdf().subarray(0, -7), emptyZip(), bytes('\n%%EOF\n')]),
      FILE,
      'damaged|another kind',
    ],
    ['a PDF with a ZIP in a stream', samplePdf({ objects: [stream(emptyZip())] }), FILE, 'another kind'],
    ['a PDF with something after its end', Buffer.concat([samplePdf(), bytes('MZ')]), FILE, 'damaged'],
    ['half a PDF', samplePdf().subarray(0, 200), FILE, 'damaged'],
    ['the scanners’ test virus in a PDF', samplePdf({ content: eicar, deflate: true }), FILE, 'virus'],
    ['the scanners’ test virus in a comment of a JPEG', sampleJpeg({ comment: eicar }), IMAGE, 'virus'],
    ['a PNG of a billion pixels', samplePng({ width: 40_000, height: 30_000 }), IMAGE, '64 million'],
    ['a JPEG of four billion pixels', sampleJpeg({ width: 65_000, height: 65_000 }), IMAGE, '64 million'],
    ['a PNG without a size', samplePng({ width: 0 }), IMAGE, 'damaged'],
    ['half a PNG', png.subarray(0, 40), IMAGE, 'damaged'],
    ['an animated PNG', samplePng({ chunks: [['acTL', Buffer.alloc(8)]] }), IMAGE, 'animated'],
    ['a PNG and a ZIP', samplePng({ after: emptyZip() }), IMAGE, 'follows the end'],
    [
      'a PNG with an HTML page in a text',
      samplePng({ chunks: [['tEXt', bytes('Comment\0<script>alert(1)</script>')]] }),
      IMAGE,
      'another kind',
    ],
    [
      'a PNG with an HTML page in a compressed text',
      samplePng({ chunks: [['zTXt', Buffer.concat([bytes('C\0\0'), deflated('<html>')])]] }),
      IMAGE,
      'another kind',
    ],
    ['a JPEG with an SVG in a comment', sampleJpeg({ comment: '<svg onload=alert(1)>' }), IMAGE, 'another kind'],
    ['a JPEG and a PDF', sampleJpeg({ after: samplePdf() }), IMAGE, 'another kind'],
    ['a JPEG and a ZIP', sampleJpeg({ after: emptyZip() }), IMAGE, 'another kind'],
    ['half a JPEG', sampleJpeg().subarray(0, -4), IMAGE, 'damaged'],
  ])('%s is refused', async (_, content, purpose, why) => {
    const reason = expect.stringMatching(new RegExp(why))
    expect(await checkFile(content, purpose)).toEqual({ refused: 'content', reason })
  })
})

describe('an email address in a file', () => {
  const cmap = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <0001> <001a> <0061> endbfrange 2 beginbfchar <001b> <0040> <001c> <002e> endbfchar endcmap`
  const code = (text: string) =>
    [...text]
      .map((c) => (c === '@' ? '001b' : c === '.' ? '001c' : (c.charCodeAt(0) - 96).toString(16).padStart(4, '0')))
      .join('')
  test.each<[string, Buffer, FilePurpose]>([
    ['in plain text', samplePdf({ content: 'BT (Bill to jane@example.com) Tj ET' }), FILE],
    [
      'in compressed text, letter by letter',
      samplePdf({ content: 'BT [(ja) -3 (ne@ex) 5 (am)] TJ (ple.com) Tj ET', deflate: true }),
      FILE,
    ],
    ['in escaped letters', samplePdf({ content: 'BT (jane\\100example\\056com) Tj ET' }), FILE],
    [
      'through a font’s own codes',
      samplePdf({
        content: `BT <${code('jane@example.com')}> Tj ET`,
        deflate: true,
        font: `<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 5 0 R
          /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /FontDescriptor <<
          /Type /FontDescriptor /FontName /X /Flags 4 /FontBBox [0 0 1 1] /ItalicAngle 0 /Ascent 1 /Descent 0 >> >>] >>`,
        objects: [stream(deflated(cmap), '/Filter /FlateDecode')],
      }),
      FILE,
    ],
    [
      'in the document’s metadata, as UTF-16',
      samplePdf({ objects: [`<< /Author (\xfe\xff${[...'jane@example.com'].map((c) => `\0${c}`).join('')}) >>`] }),
      FILE,
    ],
    ['in a picture’s text', samplePng({ chunks: [['tEXt', bytes('Author\0jane@example.com')]] }), IMAGE],
    ['in a picture’s comment', sampleJpeg({ comment: 'by jane@example.com' }), IMAGE],
  ])('is found %s', async (_, content, purpose) => {
    const texts: string[] = []
    await checkFile(content, purpose, (text) => texts.push(text))
    expect(texts.flatMap((text) => addressesIn(text))).toContain('jane@example.com')
  })
})
