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
  /** MIME types before and after, when the file was converted. */
  converted: { from: string; to: string } | null
}

type Limits = Pick<EvidenceRequirements, 'fileTypes' | 'maxPages'>
export type MerchantFile = Pick<StoredFile, 'fileId' | 'accountId' | 'name' | 'type' | 'content'>

/**
 * Converts the file to a type that the dispute accepts: unchanged, or a picture as a page of a PDF. The same file
 * always gives the same bytes, so that a later attempt sends what was planned. The plan checks sizes.
 * @returns a sentence for the merchant when no accepted type is possible
 * @throws FileKilled when another attempt may succeed; NoSlot
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
  // Without a page limit, leave the check to the PSP.
  if (maxPages === null) return null
  if (pages === null) return 'The PDF is damaged: its pages can not be counted.'
  return pages <= maxPages ? null : `The PDF has ${pages} pages: at most ${maxPages} are taken for this chargeback.`
}

/** Names the file by id, because its name can hold personal data. */
export const tooComplex = (fileId: string) =>
  `The file ${fileId} is too complex to read. Save it anew with fewer pages, layers or pixels, upload that and submit it.`

export const sha256Of = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

/** The merchant's file; null when a removal erased it. */
export async function evidenceFile(deps: ActivityDeps, of: { merchantUuid: string; fileId: string }) {
  try {
    return await readFile(deps.db, deps.ring, of)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
