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

/** @returns what the bytes are, and the texts in them. @throws ApiError file_type_not_accepted, file_refused */
export async function checkFile(content: Buffer, purpose: FilePurpose): Promise<{ type: FileType; texts: string[] }> {
  const type = typeOf(content)
  if (!type || TYPES[type].purpose !== purpose) {
    const is = type ? `, and this is ${TYPES[type].words}` : ''
    throw new ApiError(400, 'file_type_not_accepted', `file: Must be ${ACCEPTED[purpose]} for ${purpose}${is}`)
  }
  const { fault, texts } = await read(type, content)
  const also = fault ?? hiddenIn(content, texts)
  if (also) throw new ApiError(400, 'file_refused', `file: Is refused because ${also}`)
  return { type, texts }
}

function typeOf(content: Buffer): FileType | null {
  const head = content.toString('latin1', 0, 8)
  if (/^%PDF-[12]\.\d/.test(head)) return 'application/pdf'
  if (head === '\x89PNG\r\n\x1a\n') return 'image/png'
  return head.startsWith('\xff\xd8\xff') ? 'image/jpeg' : null
}

async function read(type: FileType, content: Buffer): Promise<{ fault: string | null; texts: string[] }> {
  if (type === 'application/pdf') return readPdf(content)
  const { fault, texts, margins } = type === 'image/png' ? readPng(content) : readJpeg(content)
  const page = PAGE.test(margins) || /%PDF-\d/.test(margins)
  return { fault: fault ?? (page ? 'it is another kind of file as well' : null), texts }
}

/** Files that are of two kinds at once, and what a virus scanner would find. */
function hiddenIn(content: Buffer, texts: string[]): string | null {
  if (PAGE.test(content.toString('latin1', 0, SNIFFED_BYTES)) || isArchive(content))
    return 'it is another kind of file as well'
  if (content.includes(TEST_VIRUS, 0, 'latin1') || texts.some((text) => text.includes(TEST_VIRUS)))
    return 'it holds a virus'
  return null
}

/** A ZIP is read from its end: the directory's end record counts the bytes behind itself (APPNOTE.TXT 4.3.16). */
function isArchive(content: Buffer): boolean {
  const tail = content.subarray(-65_557)
  for (let at = tail.indexOf('PK\x05\x06'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1))
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) <= tail.length) return true
  return false
}
