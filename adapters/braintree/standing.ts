import { isText, type Mark, markAt, markOf } from './documents/marks.ts'
import { GENERAL } from './evidence-limits.ts'
import type { EvidenceEntry } from './fetch.ts'

/** What a submission consists of: category → document id, category → text. */
export interface Package {
  digest: string
  owner?: string
  files: Readonly<Record<string, string>>
  texts: Readonly<Record<string, string>>
}

type Named = [category: string, value: string]

/** The evidence of an open dispute, compared with a package. */
export interface Standing {
  missing: { files: Named[]; texts: Named[] }
  /** Ours for certain, and not of the package or there twice. */
  surplus: EvidenceEntry[]
  /** Neither ours nor of the same words: it would go out with ours. */
  foreign: EvidenceEntry[]
  /** Everything that is ours for certain, texts first: documents prove that they are. */
  own: EvidenceEntry[]
}

/** Pure. What went to the processor before is not looked at: nobody sends or takes it away any more. */
export function standingOf(evidence: readonly EvidenceEntry[], of: Package): Standing {
  const mark = markOf(of)
  const there = evidence.filter(({ sentToProcessorAt }) => sentToProcessorAt === null)
  const ours = there.filter((entry) => markAt(entry)?.owner === mark.owner)
  const documents = matched(ours, mark, sorted(of.files))
  const texts = matchedTexts(there, sorted(of.texts))
  const since = ours.map(({ createdAt }) => createdAt ?? '').sort()[0]
  /** Put there after our document with the very words of ours. What lay there before, the merchant had written. */
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

/** Documents by category; one whose category was refused stands under GENERAL. */
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

/** What went out with the package that is not of it; texts are judged only where they are known. */
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

/** What to do about evidence of somebody else, for the merchant. */
export function foreignSentence(foreign: readonly EvidenceEntry[]): string {
  const documents = foreign.filter(({ url }) => url !== null).length
  const counts = [count(documents, 'document'), count(foreign.length - documents, 'text')].filter(Boolean)
  return `The dispute holds evidence at Braintree that is not of this submission (${counts.join(', ')}). Nothing was sent: remove it in Braintree's Control Panel and submit again, or answer there.`
}

function count(number: number, what: string): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`
}
