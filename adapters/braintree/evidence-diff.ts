import { isText, type Mark, markAt, markOf } from './documents/marks.ts'
import { GENERAL } from './evidence-limits.ts'
import type { EvidenceEntry } from './fetch.ts'

/** Content of a submission: category → document id, category → text. */
export interface Package {
  digest: string
  owner?: string
  files: Readonly<Record<string, string>>
  texts: Readonly<Record<string, string>>
}

type Named = [category: string, value: string]

/** The evidence of an open dispute, compared with a package. */
export interface EvidenceDiff {
  missing: { files: Named[]; texts: Named[] }
  /** Certainly Recoup's, but not part of the package, or duplicated. */
  surplus: EvidenceEntry[]
  /** Neither Recoup's nor equal to its texts: it would be sent together with Recoup's evidence. */
  foreign: EvidenceEntry[]
  /** Everything that is certainly Recoup's, texts first, because documents prove the texts' origin. */
  own: EvidenceEntry[]
}

/** Pure. Ignores entries sent to the processor before: they are not sent again. */
export function compareEvidence(evidence: readonly EvidenceEntry[], of: Package): EvidenceDiff {
  const mark = markOf(of)
  const there = evidence.filter(({ sentToProcessorAt }) => sentToProcessorAt === null)
  const ours = there.filter((entry) => markAt(entry)?.owner === mark.owner)
  const documents = matched(ours, mark, sorted(of.files))
  const texts = matchedTexts(there, sorted(of.texts))
  const since = ours.map(({ createdAt }) => createdAt ?? '').sort()[0]
  /** Recoup's texts: added after Recoup's document with the same content. Earlier ones are the merchant's. */
  const byUs = ({ createdAt }: EvidenceEntry) => since !== undefined && createdAt !== null && createdAt >= since
  const ownTexts = [...texts.placed, ...texts.twice].filter(byUs)
  const known = new Set([...ours, ...texts.placed, ...texts.twice])
  return {
    missing: { files: documents.missing, texts: texts.missing },
    surplus: [...texts.twice.filter(byUs), ...ours.filter((entry) => !documents.placed.includes(entry))],
    foreign: there.filter((entry) => !known.has(entry)),
    own: [...ownTexts, ...ours],
  }
}

/** Documents by category; one whose category was refused is under GENERAL. */
function matched(ours: readonly EvidenceEntry[], mark: Mark, files: readonly Named[]) {
  const left = ours.filter((entry) => markAt(entry)?.package === mark.package)
  const placed: EvidenceEntry[] = []
  const take = (category: string): boolean => {
    const at = left.findIndex((entry) => entry.category === category)
    if (at >= 0) placed.push(...left.splice(at, 1))
    return at >= 0
  }
  const notByCategory = files.filter(([category]) => !take(category))
  const missing = notByCategory.filter(() => !take(GENERAL))
  return { placed, missing }
}

function matchedTexts(there: readonly EvidenceEntry[], texts: readonly Named[]) {
  const placed: EvidenceEntry[] = []
  const twice: EvidenceEntry[] = []
  const missing: Named[] = []
  for (const [category, text] of texts) {
    const [first, ...more] = there.filter((entry) => isText(entry, category, text) && !placed.includes(entry))
    if (first) placed.push(first)
    else missing.push([category, text])
    twice.push(...more)
  }
  return { placed, twice: twice.filter((entry) => !placed.includes(entry)), missing }
}

/** Entries sent with the package that are not part of it; texts are compared only if known. */
export function foreignTo(
  evidence: readonly EvidenceEntry[],
  { owner, texts }: { owner: string; texts: Readonly<Record<string, string>> | undefined },
): EvidenceEntry[] {
  return evidence.filter((entry) => {
    if (entry.url !== null || entry.comment === null) return markAt(entry)?.owner !== owner
    return texts !== undefined && !sorted(texts).some(([category, text]) => isText(entry, category, text))
  })
}

function sorted(values: Readonly<Record<string, string>>): Named[] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What the merchant can do about evidence of others. */
export function foreignSentence(foreign: readonly EvidenceEntry[]): string {
  const documents = foreign.filter(({ url }) => url !== null).length
  const counts = [count(documents, 'document'), count(foreign.length - documents, 'text')].filter(Boolean)
  return `The dispute holds evidence at Braintree that is not of this submission (${counts.join(', ')}). Nothing was sent: remove it in Braintree's Control Panel and submit again, or answer there.`
}

function count(number: number, what: string): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`
}
