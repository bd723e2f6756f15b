import { createHash } from 'node:crypto'
import type { EvidenceEntry } from './fetch.ts'

/**
 * How our own evidence is known again at Braintree, which has no metadata and no idempotency key: documents by the
 * beginning of their file's name, which the `url` of an entry contains, and the package as a whole by a last GENERAL
 * text with its digest and the entries that belong to it.
 */

const MARK = /^Evidence package ([0-9a-f]{64})(?: \(([A-Za-z0-9_ -]*)\))?$/
const FILE_PREFIX = 'recoup-'

const EXTENSIONS = new Map([
  ['application/pdf', '.pdf'],
  ['image/png', '.png'],
  ['image/jpeg', '.jpg'],
])

export function markText(digest: string, entries: readonly string[]): string {
  return `Evidence package ${digest}${entries.length > 0 ? ` (${entries.join(' ')})` : ''}`
}

export function markOf(entry: Pick<EvidenceEntry, 'comment'>): { digest: string; entries: string[] } | null {
  const [, digest, entries] = MARK.exec(entry.comment ?? '') ?? []
  return digest === undefined ? null : { digest, entries: (entries ?? '').split(' ').filter((id) => id !== '') }
}

/** Ids of the entries that we put there: only these may ever be removed. */
export function ownEntries(evidence: readonly EvidenceEntry[]): string[] {
  const named = new Set(evidence.flatMap((entry) => markOf(entry)?.entries ?? []))
  const ours = evidence.filter(
    (entry) => named.has(entry.id) || markOf(entry) !== null || (entry.url?.includes(`/${FILE_PREFIX}`) ?? false),
  )
  return ours.map((entry) => entry.id)
}

/** The same bytes always get the same name; the extension is lower case, or the SDK would send no type. */
export function fileName(file: { name: string; type: string; data: Uint8Array }): string {
  const hash = createHash('sha256').update(file.data).digest('hex').slice(0, 12)
  const stem = file.name
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return `${FILE_PREFIX}${hash}${stem === '' ? '' : `-${stem}`}${EXTENSIONS.get(file.type) ?? ''}`
}
