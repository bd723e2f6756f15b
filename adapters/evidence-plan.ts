import { createHash } from 'node:crypto'
import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan, SubmissionStep } from './evidence.ts'
import { isStorable } from './raw-json.ts'

/** What differs between PSPs when a packet is fitted to what a dispute takes. */
export interface PlanRules {
  /** Steps behind the uploads: staged first where the PSP can, then submitted. */
  mode: 'staged' | 'single_shot'
  /** Place of a file that names none, or whose own is taken; null where a file without a place can't be sent. */
  rest: string | null
}

/**
 * What is sent of a packet, in order. Pure and deterministic; whatever doesn't fit is named with the reason, nothing
 * disappears in silence.
 */
export function planEvidence(limits: EvidenceRequirements, packet: EvidencePacket, rules: PlanRules): SubmissionPlan {
  const dropped: SubmissionPlan['dropped'] = []
  const placed = placeFiles(limits, packet.files, rules.rest, dropped)
  const { texts, shortened } = fitTexts(limits, packet.texts, dropped)
  const content = {
    files: placed.map(({ file, field }) => [field, file.sha256]).sort(byFirst),
    texts: Object.entries(texts).sort(byFirst),
  }
  const uploads = placed.map(({ file, field }): SubmissionStep => ({ do: 'upload', fileId: file.fileId, field }))
  const last: SubmissionStep[] = rules.mode === 'staged' ? [{ do: 'stage' }, { do: 'submit' }] : [{ do: 'submit' }]
  return {
    steps: placed.length === 0 && content.texts.length === 0 ? [] : [...uploads, ...last],
    texts,
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    dropped,
    shortened,
  }
}

function placeFiles(
  limits: EvidenceRequirements,
  files: readonly EvidenceFile[],
  rest: string | null,
  dropped: SubmissionPlan['dropped'],
): { file: EvidenceFile; field: string }[] {
  const placed: { file: EvidenceFile; field: string }[] = []
  let bytes = 0
  // Files that name their place first, so that a file without one can't take it from them.
  for (const file of [...files.filter((one) => one.field), ...files.filter((one) => !one.field)]) {
    const free = limits.fileFields.filter((field) => !placed.some((other) => other.field === field))
    const field = [file.field, rest].find((wanted) => wanted && free.includes(wanted))
    const why = refusalOf(limits, file, bytes, placed.length)
    if (why !== null || !field) {
      dropped.push({ what: file.fileId, why: why ?? 'its place is taken: merge the documents into one file' })
      continue
    }
    bytes += file.bytes
    placed.push({ file, field })
  }
  return placed
}

function refusalOf(limits: EvidenceRequirements, file: EvidenceFile, before: number, count: number): string | null {
  if (!limits.fileTypes.includes(file.type)) return `files of type ${file.type} are not taken`
  if (file.bytes > limits.maxFileBytes) return `it is larger than ${limits.maxFileBytes} bytes`
  if (before + file.bytes > limits.maxTotalBytes) return `all files together exceed ${limits.maxTotalBytes} bytes`
  return count >= limits.maxFiles ? `more than ${limits.maxFiles} files` : null
}

function fitTexts(limits: EvidenceRequirements, given: Record<string, string>, dropped: SubmissionPlan['dropped']) {
  const texts: Record<string, string> = {}
  const shortened: SubmissionPlan['shortened'] = []
  let room = limits.maxTextCharacters
  for (const [field, text] of Object.entries(given).sort(byFirst)) {
    const limit = limits.textFields[field]
    if (limit === undefined) dropped.push({ what: field, why: 'there is no such text' })
    else if (!isStorable(text)) dropped.push({ what: field, why: 'it holds characters that can not be sent' })
    else if (text.trim() === '') dropped.push({ what: field, why: 'it is empty' })
    else if (room === 0) dropped.push({ what: field, why: `all texts together exceed ${limits.maxTextCharacters}` })
    else {
      const cut = cutTo(text, Math.min(limit, room))
      if (cut.length < text.length) shortened.push({ field, from: text.length, to: cut.length })
      texts[field] = cut
      room -= cut.length
    }
  }
  return { texts, shortened }
}

/** At most `length` UTF-16 units, never half a character. */
function cutTo(text: string, length: number): string {
  const cut = text.slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

function byFirst(a: readonly string[], b: readonly string[]): number {
  return (a[0] ?? '') < (b[0] ?? '') ? -1 : 1
}
