import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { firstFree, fitTexts, placeFiles, planOf } from '../evidence-plan.ts'

/** Where a file goes that has no place of its own, or whose place is taken. */
const REST = 'uncategorized_file'

/** What is sent of a packet, in order: each file to its place, then staged, then submitted. */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  // An appeal has numbered places without meaning; elsewhere a place says what the document is, so none is guessed.
  const numbered = !requirements.fileFields.includes(REST)
  const { placed, dropped } = placeFiles(requirements, packet.files, {
    placeOf: (file, free) => firstFree(free, [file.field, ...(numbered ? free : [REST])]),
    full: 'its place and the uncategorised one are taken: merge the documents into one PDF',
  })
  const fitted = fitTexts(requirements, packet.texts)
  return planOf(placed, { ...fitted, dropped: [...dropped, ...fitted.dropped] }, ['stage', 'submit'])
}
