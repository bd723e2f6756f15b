import { readFileSync } from 'node:fs'
import { PDFDocument, type PDFRef, PDFString, StandardFonts } from '@cantoo/pdf-lib'
import sharp from 'sharp'

const text = (value: string) => new TextEncoder().encode(value)
export const exhibitFile = (name: string): Uint8Array => readFileSync(new URL(`exhibits/${name}`, import.meta.url))

async function pages(count: number): Promise<PDFDocument> {
  const pdf = await PDFDocument.create({ updateMetadata: false })
  const font = await pdf.embedFont(StandardFonts.Helvetica)
  for (let number = 1; number <= count; number++)
    pdf.addPage([595, 842]).drawText(`Sheet ${number}`, { x: 60, y: 760, size: 20, font })
  return pdf
}

/** A form of 40 pages whose values are in fields, not on the page. */
async function form(): Promise<Uint8Array> {
  const pdf = await pages(40)
  const field = pdf.getForm().createTextField('recipient')
  field.setText('Received by Ada Byron')
  field.addToPage(pdf.getPage(0), { x: 60, y: 640, width: 300, height: 30 })
  return pdf.save()
}

/** A page with comments and marks: two that show, one without an appearance, a hidden one and a link. */
async function annotated(): Promise<Uint8Array> {
  const pdf = await pages(1)
  const page = pdf.getPage(0)
  const font = (await pdf.embedFont(StandardFonts.Helvetica)).ref
  const appearance = (text: string, more: Record<string, number[]> = {}) =>
    pdf.context.register(
      pdf.context.stream(`BT /F 10 Tf 2 4 Td (${text}) Tj ET`, {
        ...{ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 200, 20], Resources: { Font: { F: font } }, ...more },
      }),
    )
  const add = (Subtype: string, Rect: number[], more: Record<string, PDFRef | number | object> = {}) =>
    page.node.addAnnot(pdf.context.register(pdf.context.obj({ Type: 'Annot', Subtype, Rect, ...more } as never)))
  add('FreeText', [100, 600, 300, 620], { AP: { N: appearance('Left with the neighbour') } })
  // Its own coordinates are elsewhere and half as large.
  add('Stamp', [100, 500, 500, 540], { AP: { N: appearance('Signed copy', { Matrix: [1, 0, 0, 1, 700, 700] }) } })
  add('Highlight', [100, 400, 300, 420])
  add('FreeText', [100, 300, 300, 320], { AP: { N: appearance('Not for the bank') }, F: 2 })
  add('Link', [0, 0, 50, 50], { A: { S: 'URI', URI: PDFString.of('https://example.com') } })
  return pdf.save()
}

/** More pixels than are decoded: 65 million. */
const huge = () =>
  sharp({ create: { width: 8_125, height: 8_000, channels: 3, background: '#cccccc' } })
    .toColourspace('b-w')
    .png({ compressionLevel: 1 })
    .toBuffer()

async function encrypted(): Promise<Uint8Array> {
  const pdf = await pages(1)
  pdf.encrypt({ userPassword: 'secret', ownerPassword: 'owner' })
  return pdf.save()
}

/** The chunk before the pixels that makes a PNG an animation. */
function animated(): Uint8Array {
  const still = Buffer.from(exhibitFile('signature.png'))
  const control = Buffer.from('\0\0\0\x08acTL\0\0\0\x02\0\0\0\0\xf3\x8d\x93\x70', 'latin1')
  return Buffer.concat([still.subarray(0, 33), control, still.subarray(33)])
}

const MADE: Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>> = {
  'encrypted.pdf': encrypted,
  'form.pdf': form,
  'long.pdf': async () => (await pages(400)).save(),
  'annotated.pdf': annotated,
  'animated.png': animated,
  'huge.png': huge,
  'truncated.jpg': () => exhibitFile('parcel.jpg').subarray(0, 12_000),
  'fake.png': () => text('\x89PNG\r\n\x1a\n and nothing else'),
  'broken.pdf': () => text('%PDF-1.7\nnothing else\n%%EOF'),
}

/** A file of exhibits/, or one that is made here because a good repository holds no bad file. */
export const contentOf = async (name: string): Promise<Uint8Array> => (await MADE[name]?.()) ?? exhibitFile(name)
