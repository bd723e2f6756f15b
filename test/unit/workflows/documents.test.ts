import { PDFDocument } from '@cantoo/pdf-lib'
import { describe, expect, test } from 'vitest'
import { fitDocument as fitInto } from '../../../workflows/activities/commands/documents.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { samplePng } from '../../harness/sample-files.ts'

const PDF = 'application/pdf'
const limits = (fileTypes: string[], maxPages: number | null = null) => ({ fileTypes, maxPages })

async function pdfOf(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let page = 0; page < pages; page++) document.addPage()
  return Buffer.from(await document.save())
}

const ids = { fileId: 'f-1', accountId: 'a-1' }
const pdf = (content: Buffer, name = 'proof.pdf') => ({ ...ids, name, type: PDF, content })
const png = (content: Buffer, name = 'photo of parcel.png') => ({ ...ids, name, type: 'image/png', content })
const fitDocument = (file: Parameters<typeof fitInto>[1], of: Parameters<typeof fitInto>[2]) =>
  fitInto(fileProcesses, file, of)

describe('a file that can be sent unchanged', () => {
  test('a PDF within the page limit: the same bytes', async () => {
    const content = await pdfOf(3)
    expect(await fitDocument(pdf(content), limits([PDF], 3))).toEqual({
      document: { name: 'proof.pdf', type: PDF, data: content },
      converted: null,
    })
  })

  test('a picture: the same bytes', async () => {
    const content = samplePng()
    expect(await fitDocument(png(content), limits([PDF, 'image/png'], 1))).toMatchObject({
      document: { data: content },
      converted: null,
    })
  })

  test('an unreadable PDF without a page limit: the PSP may decide', async () => {
    expect(await fitDocument(pdf(Buffer.from('%PDF-1.7 junk')), limits([PDF]))).toMatchObject({ converted: null })
  })
})

describe('a picture of a type that the PSP does not accept', () => {
  test('becomes a PDF of one page that shows all of it, named after the picture', async () => {
    const fitted = await fitDocument(png(samplePng({ width: 300, height: 100 })), limits([PDF, 'image/jpeg'], 1))
    expect(fitted).toMatchObject({
      document: { name: 'photo of parcel.pdf', type: PDF },
      converted: { from: 'image/png', to: PDF },
    })
    const data = 'document' in fitted ? fitted.document.data : Buffer.alloc(0)
    const made = await PDFDocument.load(data)
    expect(made.getPageCount()).toBe(1)
    expect(made.getPage(0).getSize()).toEqual({ width: 842, height: 595 })
  })

  test('gives the same bytes every time, so that what is sent is what was planned', async () => {
    const content = samplePng({ width: 20, height: 30 })
    const [first, second] = await Promise.all([1, 2].map(() => fitDocument(png(content), limits([PDF]))))
    expect(first).toEqual(second)
  })

  test('is refused if it can not be read', async () => {
    expect(await fitDocument(png(Buffer.from('no picture')), limits([PDF]))).toEqual({
      refused: 'The picture can not be read, so it can not be put into a PDF: upload it as a PDF.',
    })
  })
})

describe('a file that is too complex', () => {
  test('a picture of 64 million pixels is refused, with its id and what to do', async () => {
    expect(await fitDocument(png(samplePng({ width: 8_000, height: 8_000 })), limits([PDF]))).toEqual({
      refused:
        'The file f-1 is too complex to read. Save it anew with fewer pages, layers or pixels, upload that and submit it.',
    })
  })
})

describe('a file that is refused before anything is sent', () => {
  test('too many pages', async () => {
    expect(await fitDocument(pdf(await pdfOf(20)), limits([PDF], 19))).toEqual({
      refused: 'The PDF has 20 pages: at most 19 are taken for this chargeback.',
    })
  })

  test('a protected PDF, with or without a page limit', async () => {
    const document = await PDFDocument.create()
    document.addPage()
    document.encrypt({ userPassword: 'secret', ownerPassword: 'secret' })
    const content = Buffer.from(await document.save())
    for (const pages of [null, 50])
      expect(await fitDocument(pdf(content), limits([PDF], pages))).toEqual({
        refused: 'The PDF is protected: upload it without a password.',
      })
  })

  test('a damaged PDF with a page limit', async () => {
    expect(await fitDocument(pdf(Buffer.from('%PDF-1.7 junk')), limits([PDF], 50))).toEqual({
      refused: 'The PDF is damaged: its pages can not be counted.',
    })
  })

  test('a type that can not be converted to an accepted one', async () => {
    expect(await fitDocument(pdf(await pdfOf(1)), limits(['image/png', 'image/jpeg']))).toEqual({
      refused: 'Files of type application/pdf are not taken for this chargeback: image/png, image/jpeg are.',
    })
  })
})
