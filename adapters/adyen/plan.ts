import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { missingDocuments, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { FILE_BYTES, GENERIC } from './evidence-limits.ts'
import { placeOf } from './reasons.ts'

/** As many files as there are places: a file without one is told so, not that it is one too many. */
const UNCOUNTED = { maxFiles: Number.POSITIVE_INFINITY }

/**
 * What is sent of a packet, in order: each file to its place, then uploaded together, then the defence. Without every
 * required document nothing is sent: Adyen would refuse the defence.
 */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const { placed, dropped } = placeFiles({ ...requirements, ...UNCOUNTED }, packet.files, {
    placeOf: (file, free) => freeField(requirements, free, file),
    full: 'its place and the general one are taken: merge the documents',
    refuse: (file) => tooLarge(requirements, file),
  })
  for (const name of Object.keys(packet.texts).sort()) {
    dropped.push({ what: name, why: 'Adyen takes documents only: print the text into one' })
  }
  const missing = missingDocuments(requirements, placed, (field) => placeOf(field).document)
  if (missing.length > 0) return planOf([], { dropped: [...dropped, ...missing] }, [])
  return planOf(placed, { dropped }, ['stage', 'submit'])
}

/**
 * Its own place (a whole field, or just the document type), else a general one, else the only one that must be filled or
 * that there is. A place says what a document is, so no other is guessed.
 */
function freeField(limits: EvidenceRequirements, free: readonly string[], file: EvidenceFile): string | undefined {
  const named = free.find((field) => field === file.field || placeOf(field).document === file.field)
  if (named !== undefined) return named
  for (const generic of GENERIC) {
    const field = free.find((candidate) => placeOf(candidate).document === generic)
    if (field !== undefined) return field
  }
  const [only, ...others] = limits.requiredFields ?? []
  const [wanted] = only ?? (limits.fileFields.length === 1 ? limits.fileFields : [])
  return others.length === 0 && wanted !== undefined && free.includes(wanted) ? wanted : undefined
}

/** Each type has a bound of its own. */
function tooLarge(limits: EvidenceRequirements, file: EvidenceFile): string | null {
  const most = Math.min(limits.maxFileBytes, FILE_BYTES[file.type] ?? 0)
  return file.bytes > most ? `it is larger than ${most} bytes` : null
}
