import { createHash } from 'node:crypto'
import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { FILE_BYTES, GENERIC } from './evidence-limits.ts'
import { placeOf } from './reasons.ts'

type Placed = { file: EvidenceFile; field: string }

/**
 * What is sent of a packet, in order: each file to its place, then uploaded together, then the defence. Pure and
 * deterministic; whatever doesn't fit is named with the reason. Without every required document nothing is sent:
 * Adyen would refuse the defence.
 */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const dropped: SubmissionPlan['dropped'] = []
  const placed = placeFiles(requirements, packet.files, dropped)
  for (const name of Object.keys(packet.texts).sort()) {
    dropped.push({ what: name, why: 'Adyen takes documents only: print the text into one' })
  }
  const missing = (requirements.requiredFields ?? []).filter(
    (group) => !group.some((field) => placed.some((other) => other.field === field)),
  )
  for (const group of missing) {
    const types = group.map((field) => placeOf(field).document)
    dropped.push({ what: group[0] ?? '', why: `a document is required that is not there: ${types.join(' or ')}` })
  }
  const complete = placed.length > 0 && missing.length === 0
  if (!complete) {
    for (const { file } of placed)
      dropped.push({ what: file.fileId, why: 'nothing is sent while a document is missing' })
  }
  const content = (complete ? placed : []).map(({ file, field }) => [field, file.sha256]).sort(byFirst)
  return {
    steps: complete
      ? [
          ...placed.map(({ file, field }) => ({ do: 'upload' as const, fileId: file.fileId, field })),
          { do: 'stage' },
          { do: 'submit' },
        ]
      : [],
    texts: {},
    digest: createHash('sha256')
      .update(JSON.stringify({ files: content }))
      .digest('hex'),
    dropped,
    shortened: [],
  }
}

function placeFiles(limits: EvidenceRequirements, files: EvidenceFile[], dropped: SubmissionPlan['dropped']): Placed[] {
  const placed: Placed[] = []
  let bytes = 0
  // Files that name their place first, so that a file without one can't take it from them.
  const ordered = [...files.filter((file) => file.field), ...files.filter((file) => !file.field)]
  for (const file of ordered) {
    const why = refusal(limits, file, bytes)
    const field = why === null ? freeField(limits, placed, file) : null
    if (field === null) {
      dropped.push({ what: file.fileId, why: why ?? 'its place and the general one are taken: merge the documents' })
      continue
    }
    bytes += file.bytes
    placed.push({ file, field })
  }
  return placed
}

/**
 * Its own place (a whole field, or just the document type), else a general one, else the only one that must be filled.
 * A place says what a document is, so no other is guessed.
 */
function freeField(limits: EvidenceRequirements, placed: Placed[], file: EvidenceFile): string | null {
  const free = limits.fileFields.filter((field) => !placed.some((other) => other.field === field))
  const named = free.find((field) => field === file.field || placeOf(field).document === file.field)
  if (named !== undefined) return named
  for (const generic of GENERIC) {
    const field = free.find((candidate) => placeOf(candidate).document === generic)
    if (field !== undefined) return field
  }
  const [only, ...others] = limits.requiredFields ?? []
  const [wanted] = only ?? []
  return others.length === 0 && wanted !== undefined && free.includes(wanted) ? wanted : null
}

function refusal(limits: EvidenceRequirements, file: EvidenceFile, bytesBefore: number): string | null {
  const most = Math.min(limits.maxFileBytes, FILE_BYTES[file.type] ?? 0)
  if (!limits.fileTypes.includes(file.type)) return `files of type ${file.type} are not taken`
  if (file.bytes > most) return `it is larger than ${most} bytes`
  return bytesBefore + file.bytes > limits.maxTotalBytes
    ? `all files together exceed ${limits.maxTotalBytes} bytes`
    : null
}

function byFirst(a: readonly string[], b: readonly string[]): number {
  return (a[0] ?? '') < (b[0] ?? '') ? -1 : 1
}
