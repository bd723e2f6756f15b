import { createHash } from 'node:crypto'
import type { EvidenceEntry } from '../fetch.ts'

/**
 * How Recoup recognises its own evidence at Braintree, which has neither metadata nor idempotency keys, without adding
 * text that issuers read: a document by the end of its file name, which the `url` of its entry contains; a text by
 * category and content, and as Recoup's if it was added after Recoup's document. Decision 15 says what was rejected.
 */

const EXTENSIONS = new Map([
  ['application/pdf', '.pdf'],
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
])
const MARKED = /-([0-9a-f]{8})([0-9a-f]{8})\.(?:pdf|png|jpg)(?![^?#/])/g

/**
 * Owner of a document: `owner` identifies a chargeback of Recoup's, `package` one submission for it. 8 hex digits each.
 */
export interface Mark {
  owner: string
  package: string
}

export function markOf({ owner, digest }: { owner?: string; digest: string }): Mark {
  return { owner: short(owner ?? digest), package: short(digest) }
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

/** Null for a text, and for a document without a mark by Recoup. */
export function markAt({ url }: Pick<EvidenceEntry, 'url'>): Mark | null {
  const [, owner, ofPackage] = [...(url ?? '').matchAll(MARKED)].at(-1) ?? []
  return owner === undefined || ofPackage === undefined ? null : { owner, package: ofPackage }
}

/**
 * `Proof of delivery.PDF` becomes `Proof-of-delivery-1f0c…9e.pdf`; the extension is lower case, because the SDK would
 * otherwise send no type.
 */
export function fileName(file: { name: string; type: string }, { owner, package: ofPackage }: Mark): string {
  const stem = file.name
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return `${stem === '' ? 'evidence' : stem}-${owner}${ofPackage}${EXTENSIONS.get(file.type) ?? ''}`
}

/** Normalises a text for comparison: XML may change line ends and spaces. */
function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A text whose category Braintree refused, stored under GENERAL with its category in front. */
export function labelled(category: string, text: string): string {
  return `${category}: ${text}`
}

/** Whether an entry is that text, also under GENERAL. */
export function isText(entry: Pick<EvidenceEntry, 'category' | 'comment' | 'url'>, category: string, text: string) {
  if (entry.comment === null || entry.url !== null) return false
  const words = spaced(entry.comment)
  if (entry.category === category && words === spaced(text)) return true
  return entry.category === 'GENERAL' && words === spaced(labelled(category, text))
}
