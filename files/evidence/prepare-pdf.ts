import { createHash } from 'node:crypto'
import type { PDFDocument } from '@cantoo/pdf-lib'
import type { PreparedExhibit } from '../jobs.ts'
import { DAMAGED } from '../refusals.ts'
import { drawAnnotations } from './draw-annotations.ts'
import { loadTypst } from './typst.ts'

/** Pages of a file that are enclosed. */
const MOST_PAGES = 15

/**
 * A document with the first pages of a merchant's PDF and nothing else: no scripts, links, attached files or fields.
 * Fields, comments and marks are drawn on the page first, because only its content is set.
 */
export async function preparePdf(content: Uint8Array): Promise<PreparedExhibit | { refused: string }> {
  const library = await import('@cantoo/pdf-lib')
  const source = await library.PDFDocument.load(content, { updateMetadata: false, throwOnInvalidObject: false }).catch(
    (error: unknown) => (error instanceof library.EncryptedPDFError ? 'encrypted' : null),
  )
  if (source === 'encrypted') return { refused: 'it is encrypted' }
  if (source === null) return { refused: DAMAGED }
  try {
    const { made, of, lost } = await firstPages(library, source)
    const pages = made.getPages().map((page) => {
      const { width, height } = page.getCropBox()
      return page.getRotation().angle % 180 === 0 ? { width, height } : { width: height, height: width }
    })
    const prepared: PreparedExhibit = { content: await made.save(), format: 'pdf', pages, of, lost }
    await tryToSet(prepared)
    return prepared
  } catch (error) {
    // WebAssembly that was aborted can't be used again: the process is replaced.
    if ((error as Error).name === 'RuntimeError') throw error
    return { refused: DAMAGED }
  }
}

async function firstPages(library: typeof import('@cantoo/pdf-lib'), source: PDFDocument) {
  const { PDFDocument, PDFName } = library
  if (source.getForm().getFields().length > 0) source.getForm().flatten()
  const of = source.getPageCount()
  if (of === 0) throw new Error('the document has no pages')
  const made = await PDFDocument.create({ updateMetadata: false })
  const numbers = Array.from({ length: Math.min(of, MOST_PAGES) }, (_, index) => index)
  const lost = source
    .getPages()
    .slice(0, MOST_PAGES)
    .reduce((sum, page) => sum + drawAnnotations(library, page), 0)
  for (const page of await made.copyPages(source, numbers)) {
    page.node.delete(PDFName.of('Annots'))
    page.node.delete(PDFName.of('AA'))
    made.addPage(page)
  }
  return { made, of, lost }
}

/** Typst reads PDFs itself: a file that it can't set must not fail the evidence. */
async function tryToSet({ content, pages }: PreparedExhibit): Promise<void> {
  const { compileTrial } = await loadTypst()
  const file = `${createHash('sha256').update(content).digest('hex')}.pdf`
  compileTrial({ name: file, content }, pages.length)
}
