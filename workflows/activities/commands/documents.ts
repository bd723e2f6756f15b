import { createHash } from 'node:crypto'
import type { DocumentContent, EvidenceRequirements } from '../../../adapters/contract.ts'
import { Refusal } from '../../../db/core/refusal.ts'
import { readFile, type StoredFile } from '../../../db/evidence/files.ts'
import type { FileProcesses } from '../../../files/processes.ts'
import { FileKilled } from '../../../files/refusals.ts'
import type { ActivityDeps } from '../deps.ts'

const PDF = 'application/pdf'

export interface Fitted {
  document: DocumentContent
  /** MIME types, where it is not what was uploaded. */
  converted: { from: string; to: string } | null
}

type Limits = Pick<EvidenceRequirements, 'fileTypes' | 'maxPages'>
export type MerchantFile = Pick<StoredFile, 'fileId' | 'accountId' | 'name' | 'type' | 'content'>

/**
 * The file in a form that the dispute takes: as it is, or a picture as a page of a PDF. The same file always gives the
 * same bytes, so that a later attempt sends what was planned. Sizes are the plan's matter.
 * @returns a sentence for the merchant where there is no such form
 * @throws FileKilled where another attempt may end otherwise; NoSlot
 */
export async function fitDocument(
  files: FileProcesses,
  file: MerchantFile,
  limits: Limits,
): Promise<Fitted | { refused: string }> {
  try {
    return await convert(files, file, limits)
  } catch (error) {
    if (error instanceof FileKilled && error.final) return { refused: tooComplex(file.fileId) }
    throw error
  }
}

async function convert(
  files: FileProcesses,
  file: MerchantFile,
  limits: Limits,
): Promise<Fitted | { refused: string }> {
  const { accountId, name, type, content } = file
  if (limits.fileTypes.includes(type)) {
    const refused = type === PDF ? await refusalOfPdf(files, file, limits.maxPages) : null
    return refused ? { refused } : { document: { name, type, data: content }, converted: null }
  }
  if (!type.startsWith('image/') || !limits.fileTypes.includes(PDF))
    return { refused: `Files of type ${type} are not taken for this chargeback: ${limits.fileTypes.join(', ')} are.` }
  const made = await files.run({ job: 'convertToPdf', account: accountId, input: { content, type } })
  if (!made) return { refused: 'The picture can not be read, so it can not be put into a PDF: upload it as a PDF.' }
  const data = Buffer.from(made.buffer, made.byteOffset, made.byteLength)
  return {
    document: { name: `${name.replace(/\.[^.]*$/, '')}.pdf`, type: PDF, data },
    converted: { from: type, to: PDF },
  }
}

async function refusalOfPdf(
  files: FileProcesses,
  { accountId, content }: MerchantFile,
  maxPages: number | null,
): Promise<string | null> {
  const { pages, encrypted } = await files.run({ job: 'countPages', account: accountId, input: { content } })
  if (encrypted) return 'The PDF is protected: upload it without a password.'
  // Without a page limit the PSP may judge; with one nobody could keep it.
  if (maxPages === null) return null
  if (pages === null) return 'The PDF is damaged: its pages can not be counted.'
  return pages <= maxPages ? null : `The PDF has ${pages} pages: at most ${maxPages} are taken for this chargeback.`
}

/** Its id, because its name can hold a person. */
export const tooComplex = (fileId: string) =>
  `The file ${fileId} is too complex to read. Save it anew with fewer pages, layers or pixels, upload that and submit it.`

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
