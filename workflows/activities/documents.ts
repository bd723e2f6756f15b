import { createHash } from 'node:crypto'
import type { DocumentContent, EvidenceRequirements } from '../../adapters/contract.ts'
import { readFile } from '../../db/files.ts'
import { Refusal } from '../../db/refusal.ts'
import type { ActivityDeps } from './deps.ts'

const PDF = 'application/pdf'
/** A4 in points, and the white around a picture. */
const PAGE = { long: 842, short: 595, margin: 24 }

export interface Fitted {
  document: DocumentContent
  /** MIME types, where it is not what was uploaded. */
  converted: { from: string; to: string } | null
}

type Limits = Pick<EvidenceRequirements, 'fileTypes' | 'maxPages'>

/**
 * The file in a form that the dispute takes: as it is, or a picture as a page of a PDF. The same file always gives the
 * same bytes, so that a later attempt sends what was planned. Sizes are the plan's matter.
 * @returns a sentence for the merchant where there is no such form
 */
export async function fitDocument(
  file: { name: string; type: string; content: Buffer },
  limits: Limits,
): Promise<Fitted | { refused: string }> {
  const { name, type, content } = file
  if (limits.fileTypes.includes(type)) {
    const refused = type === PDF ? await refusalOfPdf(content, limits.maxPages) : null
    return refused ? { refused } : { document: { name, type, data: content }, converted: null }
  }
  if (!type.startsWith('image/') || !limits.fileTypes.includes(PDF))
    return { refused: `Files of type ${type} are not taken for this chargeback: ${limits.fileTypes.join(', ')} are.` }
  try {
    const data = await asPdf(content, type)
    return {
      document: { name: `${name.replace(/\.[^.]*$/, '')}.pdf`, type: PDF, data },
      converted: { from: type, to: PDF },
    }
  } catch {
    return { refused: 'The picture can not be read, so it can not be put into a PDF: upload it as a PDF.' }
  }
}

/** Loaded on first use: most processes never look into a PDF. */
const library = () => import('@cantoo/pdf-lib')

async function refusalOfPdf(content: Buffer, maxPages: number | null): Promise<string | null> {
  const { EncryptedPDFError, PDFDocument } = await library()
  try {
    const pages = (await PDFDocument.load(content, { updateMetadata: false })).getPageCount()
    if (maxPages === null || pages <= maxPages) return null
    return `The PDF has ${pages} pages: at most ${maxPages} are taken for this chargeback.`
  } catch (error) {
    if (error instanceof EncryptedPDFError) return 'The PDF is protected: upload it without a password.'
    // Without a page limit the PSP may judge; with one nobody could keep it.
    return maxPages === null ? null : 'The PDF is damaged: its pages can not be counted.'
  }
}

async function asPdf(content: Buffer, type: string): Promise<Buffer> {
  const { PDFDocument } = await library()
  const pdf = await PDFDocument.create({ updateMetadata: false })
  const picture = type === 'image/png' ? await pdf.embedPng(content) : await pdf.embedJpg(content)
  const wide = picture.width > picture.height
  const [width, height] = wide ? [PAGE.long, PAGE.short] : [PAGE.short, PAGE.long]
  const size = picture.scaleToFit(width - 2 * PAGE.margin, height - 2 * PAGE.margin)
  const page = pdf.addPage([width, height])
  page.drawImage(picture, { x: (width - size.width) / 2, y: (height - size.height) / 2, ...size })
  return Buffer.from(await pdf.save())
}

export const sha256Of = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

/** The merchant's file; null when it is gone: a removal may have erased it. */
export async function evidenceFile(deps: ActivityDeps, of: { merchantUuid: string; fileId: string }) {
  try {
    return await readFile(deps.db, deps.ring, of)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
