import { createHash } from 'node:crypto'
import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { isStorable } from '../raw-json.ts'

/** Where a file goes that has no place of its own, or whose place is taken. */
const REST = 'uncategorized_file'

/**
 * What is sent of a packet, in order: each file to its place, then staged, then submitted. Pure and deterministic;
 * whatever doesn't fit is named with the reason, nothing disappears in silence.
 */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const dropped: SubmissionPlan['dropped'] = []
  const placed = placeFiles(requirements, packet.files, dropped)
  const { texts, shortened } = fitTexts(requirements, packet.texts, dropped)
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
    shortened,
  }
}

function placeFiles(limits: EvidenceRequirements, files: EvidenceFile[], dropped: SubmissionPlan['dropped']) {
  const placed: { file: EvidenceFile; field: string }[] = []
  let bytes = 0
  // Files that name their place first, so that a file without one can't take it from them.
  const ordered = [...files.filter((file) => file.field), ...files.filter((file) => !file.field)]
  for (const file of ordered) {
    const field = freeField(limits, placed, file)
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

function freeField(limits: EvidenceRequirements, placed: { field: string }[], file: EvidenceFile): string | null {
  const free = limits.fileFields.filter((field) => !placed.some((other) => other.field === field))
  if (file.field !== undefined && free.includes(file.field)) return file.field
  if (free.includes(REST)) return REST
  // An appeal has numbered places without meaning; elsewhere a place says what the document is, so none is guessed.
  return limits.fileFields.includes(REST) ? null : (free[0] ?? null)
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
  return field === null ? 'its place and the uncategorised one are taken: merge the documents into one PDF' : null
}

function fitTexts(limits: EvidenceRequirements, given: Record<string, string>, dropped: SubmissionPlan['dropped']) {
  const texts: Record<string, string> = {}
  const shortened: SubmissionPlan['shortened'] = []
  let room = limits.maxTextCharacters
  for (const [field, text] of Object.entries(given).sort(byFirst)) {
    const limit = limits.textFields[field]
    if (limit === undefined) dropped.push({ what: field, why: 'there is no such text' })
    else if (!isStorable(text)) dropped.push({ what: field, why: 'it holds characters that can not be sent' })
    // An empty text would clear what stands at the PSP.
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
