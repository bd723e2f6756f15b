import { createHash } from 'node:crypto'
import type { EvidenceEntry } from './fetch.ts'

/**
 * How our own evidence is known again at Braintree, which has no metadata and no idempotency key: documents by the
 * beginning of their file's name, which the `url` of an entry contains; texts by an opening that announces them before
 * the first is added and goes when all are there; and the package as a whole by a last GENERAL text with its digest
 * and the entries that belong to it.
 */

const MARK = /^Evidence package ([0-9a-f]{64})(?: \(([A-Za-z0-9_ -]*)\))?$/
const OPENING = /^Evidence package ([0-9a-f]{64}) begins \(([0-9a-f ]+)\)$/
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
  const [, digest, entries] = MARK.exec(entry.comment?.trim() ?? '') ?? []
  return digest === undefined ? null : { digest, entries: (entries ?? '').split(' ').filter((id) => id !== '') }
}

/**
 * The mark of a package that is there as it was attached: in Braintree's dashboard somebody may take away a part of it and
 * leave the mark.
 */
export function wholeMark(evidence: readonly EvidenceEntry[], digest: string): EvidenceEntry | undefined {
  const there = new Set(evidence.map(({ id }) => id))
  return evidence.find((entry) => {
    const mark = markOf(entry)
    return mark?.digest === digest && mark.entries.every((id) => there.has(id))
  })
}

/** Announces texts by hash, so that whoever finds some of them without a mark knows whose they are. */
export function openingText(digest: string, texts: readonly (readonly [category: string, content: string])[]): string {
  return `Evidence package ${digest} begins (${texts.map(([category, text]) => hashOf(digest, category, text)).join(' ')})`
}

/** Openings that were left behind. */
export function openings(evidence: readonly EvidenceEntry[]): string[] {
  return evidence.filter((entry) => OPENING.test(entry.comment?.trim() ?? '')).map(({ id }) => id)
}

/**
 * Ids of the entries that we put there: only these may ever be removed. What tells that the others are ours comes last,
 * so that a removal that is cut off can be ended by the next attempt.
 */
export function ownEntries(evidence: readonly EvidenceEntry[]): string[] {
  const named = new Set(evidence.flatMap((entry) => markOf(entry)?.entries ?? []))
  const announced = evidence.flatMap(({ comment }) => {
    const [, digest = '', hashes = ''] = OPENING.exec(comment?.trim() ?? '') ?? []
    return hashes.split(' ').map((hash) => ({ digest, hash }))
  })
  const opening = new Set(openings(evidence))
  const tells = (entry: EvidenceEntry) => markOf(entry) !== null || opening.has(entry.id)
  const content = evidence.filter(
    (entry) =>
      !tells(entry) &&
      (named.has(entry.id) ||
        entry.url?.includes(`/${FILE_PREFIX}`) ||
        announced.some(({ digest, hash }) => hashesOf(digest, entry).includes(hash))),
  )
  return [...content, ...evidence.filter(tells)].map(({ id }) => id)
}

/** A text as it was planned, also where it stands under GENERAL because its own category was refused. */
function hashesOf(digest: string, { category, comment }: EvidenceEntry): string[] {
  if (category === null || comment === null) return []
  const [, planned, content] = /^([A-Z_]+): ([\s\S]*)$/.exec(comment.trim()) ?? []
  const exchanged = planned !== undefined && content !== undefined ? [hashOf(digest, planned, content)] : []
  return [hashOf(digest, category, comment), ...exchanged]
}

function hashOf(digest: string, category: string, content: string): string {
  return createHash('sha256')
    .update(`${digest}\n${category}\n${spaced(content)}`)
    .digest('hex')
    .slice(0, 16)
}

/** A text as it is compared: on its way through XML, line ends and spaces may become others. */
export function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
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
