import { deflateSync } from 'node:zlib'
import { PDFDocument } from '@cantoo/pdf-lib'
import { describe, expect, test } from 'vitest'
import { fitDocument } from '../../../workflows/activities/documents.ts'

const PDF = 'application/pdf'
const limits = (fileTypes: string[], maxPages: number | null = null) => ({ fileTypes, maxPages })

async function pdfOf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let page = 0; page < pages; page++) document.addPage()
  return Buffer.from(await document.save())
}

/** A PNG of one colour, with transparency. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const check = Buffer.alloc(4)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 4, 0x7f)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function crc32(data: Buffer): number {
  let crc = 0xffffffff
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

const pdf = (content: Buffer, name = 'proof.pdf') => ({ name, type: PDF, content })
const png = (content: Buffer, name = 'photo of parcel.png') => ({ name, type: 'image/png', content })

describe('a file that the dispute takes as it is', () => {
  test('a PDF within the page limit: the same bytes', async () => {
    const content = await pdfOf(3)
    expect(await fitDocument(pdf(content), limits([PDF], 3))).toEqual({
      document: { name: 'proof.pdf', type: PDF, data: content },
      converted: null,
    })
  })

  test('a picture: the same bytes', async () => {
    const content = pngOf(4, 4)
    expect(await fitDocument(png(content), limits([PDF, 'image/png'], 1))).toMatchObject({
      document: { data: content },
      converted: null,
    })
  })

  test('a PDF that nobody can read, where no page limit stands: the PSP may judge', async () => {
    expect(await fitDocument(pdf(Buffer.from('%PDF-1.7 junk')), limits([PDF]))).toMatchObject({ converted: null })
  })
})

describe('a picture where only PDFs are taken', () => {
  test('becomes one page that shows it whole, named as the picture', async () => {
    const fitted = await fitDocument(png(pngOf(300, 100)), limits([PDF, 'image/jpeg'], 1))
    expect(fitted).toMatchObject({
      document: { name: 'photo of parcel.pdf', type: PDF },
      converted: { from: 'image/png', to: PDF },
    })
    const data = 'document' in fitted ? fitted.document.data : Buffer.alloc(0)
    const made = await PDFDocument.load(data)
    expect(made.getPageCount()).toBe(1)
    expect(made.getPage(0).getSize()).toEqual({ width: 842, height: 595 })
  })

  test('gives the same bytes every time: what is sent later is what was planned', async () => {
    const content = pngOf(20, 30)
    const [first, second] = await Promise.all([1, 2].map(() => fitDocument(png(content), limits([PDF]))))
    expect(first).toEqual(second)
  })

  test('is refused when it can not be read', async () => {
    expect(await fitDocument(png(Buffer.from('no picture')), limits([PDF]))).toEqual({
      refused: 'The picture can not be read, so it can not be put into a PDF: upload it as a PDF.',
    })
  })
})

describe('a file that is refused before anything is sent', () => {
  test('too many pages', async () => {
    expect(await fitDocument(pdf(await pdfOf(20)), limits([PDF], 19))).toEqual({
      refused: 'The PDF has 20 pages: at most 19 are taken for this chargeback.',
    })
  })

  test('a protected PDF, page limit or not', async () => {
    const document = await PDFDocument.create()
    document.addPage()
    document.encrypt({ userPassword: 'secret', ownerPassword: 'secret' })
    const content = Buffer.from(await document.save())
    for (const pages of [null, 50])
      expect(await fitDocument(pdf(content), limits([PDF], pages))).toEqual({
        refused: 'The PDF is protected: upload it without a password.',
      })
  })

  test('a damaged PDF where pages are limited', async () => {
    expect(await fitDocument(pdf(Buffer.from('%PDF-1.7 junk')), limits([PDF], 50))).toEqual({
      refused: 'The PDF is damaged: its pages can not be counted.',
    })
  })

  test('a type that can not be made into one that is taken', async () => {
    expect(await fitDocument(pdf(await pdfOf(1)), limits(['image/png', 'image/jpeg']))).toEqual({
      refused: 'Files of type application/pdf are not taken for this chargeback: image/png, image/jpeg are.',
    })
  })
})
