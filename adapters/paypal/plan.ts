import { createHash } from 'node:crypto'
import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../evidence.ts'
import { isStorable } from '../raw-json.ts'
import { REFUND, REST, TRACKED } from './evidence-limits.ts'

/**
 * What is sent of a packet: each file to its place, then everything in one call. Pure and deterministic; whatever
 * doesn't fit is named with the reason, nothing disappears in silence.
 */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const dropped: SubmissionPlan['dropped'] = []
  const { texts, shortened } = fitTexts(requirements, packet.texts, dropped)
  const placed = placeFiles(requirements, packet.files, texts, dropped)
  const content = {
    files: placed.map(({ file, field }) => [field, file.sha256]).sort(byFirst),
    texts: Object.entries(texts).sort(byFirst),
  }
  const empty = placed.length === 0 && content.texts.length === 0
  return {
    steps: empty
      ? []
      : [...placed.map(({ file, field }) => ({ do: 'upload' as const, fileId: file.fileId, field })), { do: 'submit' }],
    texts,
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    dropped,
    shortened,
  }
}

function placeFiles(
  limits: EvidenceRequirements,
  files: EvidenceFile[],
  texts: Record<string, string>,
  dropped: SubmissionPlan['dropped'],
) {
  const placed: { file: EvidenceFile; field: string }[] = []
  let bytes = 0
  // Files that name their place first, so that a file without one can't take it from them.
  const ordered = [...files.filter((file) => file.field), ...files.filter((file) => !file.field)]
  for (const file of ordered) {
    const free = limits.fileFields.filter((field) => !placed.some((other) => other.field === field))
    const field = freeField(free, texts, file)
    const why = refusal(limits, file, bytes, placed.length, field)
    if (why !== null || field === null) {
      dropped.push({ what: file.fileId, why: why ?? 'every place for a file is taken' })
      continue
    }
    bytes += file.bytes
    placed.push({ file, field })
  }
  return placed
}

/** A proof of fulfillment without tracking, or of a refund without its id, would be refused: it goes to the rest. */
function freeField(free: string[], texts: Record<string, string>, file: EvidenceFile): string | null {
  const wanted = file.field
  const bare =
    (wanted !== undefined && TRACKED.includes(wanted) && texts.tracking_number === undefined) ||
    (wanted === REFUND && texts.refund_ids === undefined)
  if (wanted !== undefined && !bare && free.includes(wanted)) return wanted
  return REST.find((field) => free.includes(field)) ?? null
}

function refusal(
  limits: EvidenceRequirements,
  file: EvidenceFile,
  bytesBefore: number,
  filesBefore: number,
  field: string | null,
): string | null {
  if (!limits.fileTypes.includes(file.type)) return `files of type ${file.type} are not taken`
  if (file.bytes > limits.maxFileBytes) return `it is larger than ${limits.maxFileBytes} bytes`
  if (bytesBefore + file.bytes > limits.maxTotalBytes) return `all files together exceed ${limits.maxTotalBytes} bytes`
  if (filesBefore >= limits.maxFiles) return `more than ${limits.maxFiles} files`
  return field === null ? 'every place for a file is taken: merge the documents into one PDF' : null
}

function fitTexts(limits: EvidenceRequirements, given: Record<string, string>, dropped: SubmissionPlan['dropped']) {
  const texts: Record<string, string> = {}
  const shortened: SubmissionPlan['shortened'] = []
  for (const [field, text] of Object.entries(given).sort(byFirst)) {
    const limit = limits.textFields[field]
    if (limit === undefined) dropped.push({ what: field, why: 'there is no such text' })
    else if (!isStorable(text)) dropped.push({ what: field, why: 'it holds characters that can not be sent' })
    else if (text.trim() === '') dropped.push({ what: field, why: 'it is empty' })
    else if (field !== 'notes' && text.length > limit) {
      // Half a tracking number or half an address proves nothing.
      dropped.push({ what: field, why: `it is longer than ${limit} characters` })
    } else {
      texts[field] = cutTo(text, limit)
      if (text.length > limit) shortened.push({ field, from: text.length, to: texts[field].length })
    }
  }
  for (const [field, why] of orphans(texts)) {
    delete texts[field]
    dropped.push({ what: field, why })
  }
  return { texts, shortened }
}

/** PayPal wants carrier and number together, and refuses an address that is none. */
function orphans(texts: Record<string, string>): [string, string][] {
  const { carrier_name: carrier, tracking_number: number, tracking_url: url } = texts
  const found: [string, string][] = []
  if (carrier !== undefined && number === undefined) found.push(['carrier_name', 'there is no tracking_number with it'])
  if (number !== undefined && carrier === undefined) found.push(['tracking_number', 'there is no carrier_name with it'])
  if (url !== undefined && (carrier === undefined || number === undefined)) {
    found.push(['tracking_url', 'there is no complete tracking with it'])
  } else if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    found.push(['tracking_url', 'it is no web address'])
  }
  return found
}

/** At most `length` UTF-16 units, never half a character. */
function cutTo(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

function byFirst(a: readonly string[], b: readonly string[]): number {
  return (a[0] ?? '') < (b[0] ?? '') ? -1 : 1
}
