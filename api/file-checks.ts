import type { FilePurpose } from '../db/files.ts'
import { ApiError } from './errors.ts'
import { readJpeg, readPng } from './file-images.ts'
import { readPdf } from './file-pdf.ts'

/** Says what kind of file the bytes are, and refuses what no evidence is. Names and declared types are not asked. */

const TYPES = {
  'application/pdf': { words: 'a PDF', purpose: 'evidence_file' },
  'image/png': { words: 'a PNG picture', purpose: 'evidence_image' },
  'image/jpeg': { words: 'a JPEG picture', purpose: 'evidence_image' },
} as const
export type FileType = keyof typeof TYPES

const ACCEPTED = { evidence_file: 'a PDF', evidence_image: 'a PNG or JPEG picture' } as const
/** The harmless file that every virus scanner knows (eicar.org), in two parts so that none objects to this one. */
const TEST_VIRUS = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE'}!$H+H*`
/** What makes a browser take a file for a page. */
const PAGE = /<(html|script|svg|iframe)\b|<!doctype\s+html/i
const SNIFFED_BYTES = 1_024
const OTHER_KIND = 'it is another kind of file as well'

/**
 * For hostile bytes too the work grows with their length; `inspectFile` does it beside the event loop.
 * @param see is shown every text in the file
 * @returns what the bytes are
 * @throws ApiError file_type_not_accepted, file_refused
 */
export async function checkFile(
  content: Buffer,
  purpose: FilePurpose,
  see: (text: string) => void = () => {},
): Promise<FileType> {
  const type = typeOf(content)
  if (!type || TYPES[type].purpose !== purpose) {
    const is = type ? `, and this is ${TYPES[type].words}` : ''
    throw new ApiError(400, 'file_type_not_accepted', `file: Must be ${ACCEPTED[purpose]} for ${purpose}${is}`)
  }
  let virus = content.includes(TEST_VIRUS, 0, 'latin1')
  const fault = await read(type, content, (text) => {
    virus ||= text.includes(TEST_VIRUS)
    see(text)
  })
  const also = fault ?? (isPageOrArchive(content) ? OTHER_KIND : null) ?? (virus ? 'it holds a virus' : null)
  if (also) throw fileRefused(also)
  return type
}

export const fileRefused = (because: string) => new ApiError(400, 'file_refused', `file: Is refused because ${because}`)

function typeOf(content: Buffer): FileType | null {
  const head = content.toString('latin1', 0, 8)
  if (/^%PDF-[12]\.\d/.test(head)) return 'application/pdf'
  if (head === '\x89PNG\r\n\x1a\n') return 'image/png'
  return head.startsWith('\xff\xd8\xff') ? 'image/jpeg' : null
}

/** Why it is refused; null when nothing speaks against it. */
async function read(type: FileType, content: Buffer, see: (text: string) => void): Promise<string | null> {
  if (type === 'application/pdf') return readPdf(content, see)
  const { fault, texts, margins } = type === 'image/png' ? readPng(content) : readJpeg(content)
  for (const text of texts) see(text)
  return fault ?? (PAGE.test(margins) || /%PDF-\d/.test(margins) ? OTHER_KIND : null)
}

/** Files that are of two kinds at once. */
const isPageOrArchive = (content: Buffer) =>
  PAGE.test(content.toString('latin1', 0, SNIFFED_BYTES)) || isArchive(content)

/** A ZIP is read from its end: the directory's end record counts the bytes behind itself (APPNOTE.TXT 4.3.16). */
function isArchive(content: Buffer): boolean {
  const tail = content.subarray(-65_557)
  for (let at = tail.indexOf('PK\x05\x06'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1))
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) <= tail.length) return true
  return false
}
