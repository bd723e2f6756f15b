import type { EvidenceFile, EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { missingDocuments, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { FILE_BYTES, GENERIC } from './evidence-limits.ts'
import { placeOf } from './reasons.ts'

/**
 * The maximum equals the number of places, so that a file without a place gets that reason instead of "too many files".
 */
const UNCOUNTED = { maxFiles: Number.POSITIVE_INFINITY }

/**
 * The steps for a packet: assign each file to a place, upload all together, then send the defence. Nothing is sent
 * without every required document, because Adyen would refuse the defence.
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
 * The place that the file names (a whole field, or only the document type), else a generic one, else the only required
 * or only existing one. A place says what a document is, so no other place is guessed.
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

/** Each type has its own limit. */
function tooLarge(limits: EvidenceRequirements, file: EvidenceFile): string | null {
  const most = Math.min(limits.maxFileBytes, FILE_BYTES[file.type] ?? 0)
  return file.bytes > most ? `it is larger than ${most} bytes` : null
}
