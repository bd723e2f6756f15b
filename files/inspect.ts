import { addressesIn } from '../domain/accounts/addresses.ts'
import type { FilePurpose, FileType } from '../domain/evidence/file.ts'
import type { InspectionResult, Jobs } from './jobs.ts'
import { inspectPdf } from './pdf.ts'
import { inspectPicture } from './picture.ts'
import { OTHER_KIND, PAGE } from './polyglots.ts'
import { textParts } from './text-parts.ts'

const PURPOSES: Record<FileType, FilePurpose> = {
  'application/pdf': 'evidence_file',
  'image/png': 'evidence_image',
  'image/jpeg': 'evidence_image',
}
/** The harmless EICAR test file of virus scanners (eicar.org), in two parts so that scanners accept this file. */
const TEST_VIRUS = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE'}!$H+H*`
const SNIFFED_BYTES = 1_024

/**
 * Detects the type of an uploaded file, whether it is safe, and the e-mail addresses in it. Runs in a file process,
 * because its cost is unbounded.
 */
export async function inspectFile({
  content,
  purpose,
  mostAddresses,
}: Jobs['inspect']['input']): Promise<InspectionResult> {
  const addresses = new Set<string>()
  const result = await checkFile(
    Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    purpose,
    (text) => {
      for (const part of textParts(text))
        if (addresses.size < mostAddresses)
          for (const address of addressesIn(part, mostAddresses)) addresses.add(address)
    },
  )
  return 'refused' in result ? result : { ...result, addresses: [...addresses] }
}

/**
 * Ignores name and declared type.
 * @param see receives every text in the file
 */
export async function checkFile(
  content: Buffer,
  purpose: FilePurpose,
  see: (text: string) => void = () => {},
): Promise<{ type: FileType } | Extract<InspectionResult, { refused: string }>> {
  const type = typeOf(content)
  if (!type || PURPOSES[type] !== purpose) return { refused: 'type', type }
  let virus = content.includes(TEST_VIRUS, 0, 'latin1')
  const notice = (text: string) => {
    virus ||= text.includes(TEST_VIRUS)
    see(text)
  }
  const fault = await (type === 'application/pdf' ? inspectPdf(content, notice) : inspectPicture(type, content, notice))
  const reason = fault ?? (isPageOrArchive(content) ? OTHER_KIND : null) ?? (virus ? 'it holds a virus' : null)
  return reason === null ? { type } : { refused: 'content', reason }
}

/** By the first bytes; null for an unsupported type. */
export function typeOf(content: Buffer): FileType | null {
  const head = content.toString('latin1', 0, 8)
  if (/^%PDF-[12]\.\d/.test(head)) return 'application/pdf'
  if (head === '\x89PNG\r\n\x1a\n') return 'image/png'
  return head.startsWith('\xff\xd8\xff') ? 'image/jpeg' : null
}

const isPageOrArchive = (content: Buffer) =>
  PAGE.test(content.toString('latin1', 0, SNIFFED_BYTES)) || isArchive(content)

/** A ZIP is parsed from its end: the end record of the directory counts the bytes after itself (APPNOTE.TXT 4.3.16). */
function isArchive(content: Buffer): boolean {
  const tail = content.subarray(-65_557)
  for (let at = tail.indexOf('PK\x05\x06'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1))
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) <= tail.length) return true
  return false
}
