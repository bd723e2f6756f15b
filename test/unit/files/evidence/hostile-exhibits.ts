import { readFileSync } from 'node:fs'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'

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
  'animated.png': animated,
  'truncated.jpg': () => exhibitFile('parcel.jpg').subarray(0, 12_000),
  'fake.png': () => text('\x89PNG\r\n\x1a\n and nothing else'),
  'broken.pdf': () => text('%PDF-1.7\nnothing else\n%%EOF'),
}

/** A file of exhibits/, or one that is made here because a good repository holds no bad file. */
export const contentOf = async (name: string): Promise<Uint8Array> => (await MADE[name]?.()) ?? exhibitFile(name)
