import { createHash } from 'node:crypto'
import type { EvidenceFile, EvidenceRequirements, SubmissionPlan } from './evidence.ts'
import { isStorable } from './raw-json.ts'

/**
 * Common parts of every PSP's plan: assign files to places, fit texts, compute the digest. Pure and deterministic;
 * everything that does not fit is reported with its reason.
 */

export interface PlacedFile {
  file: EvidenceFile
  field: string
}

/** Rules of a PSP for assigning files to places. */
export interface PlaceRules {
  /** The place of a file among the free ones; undefined when it can't be sent. */
  placeOf(file: EvidenceFile, free: readonly string[]): string | undefined
  /** Why a file without a place is not sent, and what to do. */
  full: string
  /** Why the PSP refuses this file, beyond its type and the common limits. */
  refuse?(file: EvidenceFile): string | null
}

export function placeFiles(
  limits: EvidenceRequirements,
  files: readonly EvidenceFile[],
  rules: PlaceRules,
): Pick<SubmissionPlan, 'dropped'> & { placed: PlacedFile[] } {
  const dropped: SubmissionPlan['dropped'] = []
  const placed: PlacedFile[] = []
  let bytes = 0
  // Files that name a place first, so that others can't take it.
  for (const file of [...files.filter((one) => one.field), ...files.filter((one) => !one.field)]) {
    const free = limits.fileFields.filter((field) => !placed.some((other) => other.field === field))
    const why = refusalOf(limits, file, { bytes, count: placed.length }, rules)
    const field = why === null ? rules.placeOf(file, free) : undefined
    if (field === undefined) {
      dropped.push({ what: file.fileId, why: why ?? rules.full })
      continue
    }
    bytes += file.bytes
    placed.push({ file, field })
  }
  return { placed, dropped }
}

/** The first preferred place that is free. */
export function firstFree(free: readonly string[], wanted: readonly (string | undefined)[]): string | undefined {
  return wanted.find((field) => field !== undefined && free.includes(field))
}

function refusalOf(
  limits: EvidenceRequirements,
  file: EvidenceFile,
  before: { bytes: number; count: number },
  rules: PlaceRules,
): string | null {
  if (!limits.fileTypes.includes(file.type)) return `files of type ${file.type} are not taken`
  const why = rules.refuse?.(file) ?? null
  if (why !== null) return why
  if (file.bytes > limits.maxFileBytes) return `it is larger than ${limits.maxFileBytes} bytes`
  if (before.bytes + file.bytes > limits.maxTotalBytes) return `all files together exceed ${limits.maxTotalBytes} bytes`
  return before.count >= limits.maxFiles ? `more than ${limits.maxFiles} files` : null
}

type FittedTexts = Pick<SubmissionPlan, 'texts' | 'shortened' | 'dropped'>

/** Cuts texts that are too long; `whole` names those that prove nothing when cut and are left out instead. */
export function fitTexts(
  limits: EvidenceRequirements,
  given: Record<string, string>,
  whole: (field: string) => boolean = () => false,
): FittedTexts {
  const fitted: FittedTexts = { texts: {}, shortened: [], dropped: [] }
  let room = limits.maxTextCharacters
  for (const [field, text] of Object.entries(given).sort(byFirst)) {
    const limit = Object.hasOwn(limits.textFields, field) ? limits.textFields[field] : undefined
    const drop = (why: string) => fitted.dropped.push({ what: field, why })
    if (limit === undefined) drop('there is no such text')
    else if (!isStorable(text)) drop('it holds characters that can not be sent')
    // An empty text would clear the PSP's value.
    else if (text.trim() === '') drop('it is empty')
    else if (whole(field) && text.length > limit) drop(`it is longer than ${limit} characters`)
    else if (room === 0 || (whole(field) && text.length > room))
      drop(`all texts together exceed ${limits.maxTextCharacters}`)
    else {
      const cut = cutTo(text, Math.min(limit, room))
      if (cut.length < text.length) fitted.shortened.push({ field, from: text.length, to: cut.length })
      fitted.texts[field] = cut
      room -= cut.length
    }
  }
  return fitted
}

/**
 * The error for missing required documents; empty when all are present. The PSP would refuse the whole, so nothing is
 * sent. `nameOf` is the PSP's name of a place's document.
 */
export function missingDocuments(
  { requiredFields = [] }: EvidenceRequirements,
  placed: readonly PlacedFile[],
  nameOf = (field: string) => field,
): SubmissionPlan['dropped'] {
  const missing = requiredFields.filter(
    (group) => !group.some((field) => placed.some((other) => other.field === field)),
  )
  if (missing.length === 0) return []
  return [
    ...missing.map((group) => ({
      ...{ what: group[0] ?? '', why: `a document is required that is not there: ${group.map(nameOf).join(' or ')}` },
    })),
    ...placed.map(({ file }) => ({ what: file.fileId, why: 'nothing is sent while a document is missing' })),
  ]
}

/** Removes texts that the PSP would refuse, each with the reason. */
export function leaveOut({ texts, dropped }: FittedTexts, reasons: Iterable<readonly [string, string]>): void {
  for (const [field, why] of reasons) {
    delete texts[field]
    dropped.push({ what: field, why })
  }
}

/**
 * The plan: each file to its place, then `last`; no steps when nothing is left to send. Without `texts` the PSP
 * supports none, and the digest covers the files alone.
 */
export function planOf(
  placed: readonly PlacedFile[],
  rest: Pick<SubmissionPlan, 'dropped'> & Partial<FittedTexts>,
  last: readonly ('stage' | 'submit')[],
): SubmissionPlan {
  const { texts = {}, shortened = [], dropped } = rest
  const content = {
    files: placed.map(({ file, field }) => [field, file.sha256]).sort(byFirst),
    ...(rest.texts && { texts: Object.entries(texts).sort(byFirst) }),
  }
  const uploads = placed.map(({ file, field }) => ({ do: 'upload' as const, fileId: file.fileId, field }))
  const empty = placed.length === 0 && Object.keys(texts).length === 0
  return {
    steps: empty ? [] : [...uploads, ...last.map((step) => ({ do: step }))],
    texts,
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    dropped,
    shortened: shortened.filter(({ field }) => texts[field] !== undefined),
  }
}

/** At most `length` UTF-16 units, without splitting a character. */
function cutTo(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

function byFirst(a: readonly string[], b: readonly string[]): number {
  return (a[0] ?? '') < (b[0] ?? '') ? -1 : 1
}
