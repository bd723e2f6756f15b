import { createHash } from 'node:crypto'
import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { isStorable } from '../raw-json.ts'
import { incomplete } from './companions.ts'
import { GENERAL } from './evidence-limits.ts'

/**
 * What is sent of a packet, in order: each document to its category, then staged, then finalized. Pure and
 * deterministic; whatever doesn't fit is named with the reason, nothing disappears in silence.
 */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const dropped: SubmissionPlan['dropped'] = []
  const placed = placeFiles(requirements, packet.files, dropped)
  const { texts, shortened } = fitTexts(requirements, packet.texts, dropped)
  for (const [field, why] of incomplete({ texts, files: placed.map(({ field: category }) => category) })) {
    delete texts[field]
    dropped.push({ what: field, why })
  }
  const content = {
    files: placed.map(({ file, field }) => [field, file.sha256]).sort(byFirst),
    texts: Object.entries(texts).sort(byFirst),
  }
  const empty = placed.length === 0 && content.texts.length === 0
  return {
    steps: empty
      ? []
      : [
          ...placed.map(({ file, field }) => ({ do: 'upload' as const, fileId: file.fileId, field })),
          { do: 'stage' },
          { do: 'submit' },
        ],
    texts,
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
    dropped,
    shortened: shortened.filter(({ field }) => texts[field] !== undefined),
  }
}

function placeFiles(limits: EvidenceRequirements, files: EvidenceFile[], dropped: SubmissionPlan['dropped']) {
  const placed: { file: EvidenceFile; field: string }[] = []
  let bytes = 0
  // Files that name their category first, so that a file without one can't take GENERAL from them.
  for (const file of [...files.filter(({ field }) => field), ...files.filter(({ field }) => !field)]) {
    const taken = placed.map(({ field }) => field)
    const free = limits.fileFields.filter((category) => !taken.includes(category))
    const field = [file.field, GENERAL].find((category) => category !== undefined && free.includes(category))
    const why = refusal(limits, file, bytes, field)
    if (why !== null || field === undefined) {
      dropped.push({ what: file.fileId, why: why ?? 'its category is taken' })
      continue
    }
    bytes += file.bytes
    placed.push({ file, field })
  }
  return placed
}

function refusal(
  limits: EvidenceRequirements,
  file: EvidenceFile,
  bytesBefore: number,
  field: string | undefined,
): string | null {
  if (!limits.fileTypes.includes(file.type)) return `files of type ${file.type} are not taken`
  if (file.bytes === 0) return 'it is empty'
  if (file.bytes > limits.maxFileBytes) return `it is larger than ${limits.maxFileBytes} bytes`
  if (bytesBefore + file.bytes > limits.maxTotalBytes) return `all files together exceed ${limits.maxTotalBytes} bytes`
  return field === undefined ? 'its category and GENERAL are taken: merge the documents into one PDF' : null
}

function fitTexts(limits: EvidenceRequirements, given: Record<string, string>, dropped: SubmissionPlan['dropped']) {
  const texts: Record<string, string> = {}
  const shortened: SubmissionPlan['shortened'] = []
  let room = limits.maxTextCharacters
  for (const [field, text] of Object.entries(given).sort(byFirst)) {
    const limit = Object.hasOwn(limits.textFields, field) ? limits.textFields[field] : undefined
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
