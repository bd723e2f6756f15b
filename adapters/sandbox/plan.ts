import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { firstFree, fitTexts, missingDocuments, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { REST } from './evidence-limits.ts'

/**
 * Each file goes to its place or to `other`, then everything is submitted at once, because the sandbox PSP has no
 * staging. Nothing is sent without every required document.
 */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const { placed, dropped } = placeFiles(requirements, packet.files, {
    placeOf: (file, free) => firstFree(free, [file.field, REST]),
    full: 'its place is taken: merge the documents into one file',
  })
  const missing = missingDocuments(requirements, placed)
  if (missing.length > 0) return planOf([], { dropped: [...dropped, ...missing] }, [])
  const fitted = fitTexts(requirements, packet.texts)
  return planOf(placed, { ...fitted, dropped: [...dropped, ...fitted.dropped] }, ['submit'])
}
