import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { firstFree, fitTexts, leaveOut, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { incomplete } from './companions.ts'
import { GENERAL, malformed, mustStayWhole } from './evidence-limits.ts'

/**
 * The maximum equals the number of categories, so that a file without a category gets that reason instead of "too many
 * files".
 */
const UNCOUNTED = { maxFiles: Number.POSITIVE_INFINITY }

/** The steps for a packet: upload each document in its category, stage, finalize. */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  const { placed, dropped } = placeFiles({ ...requirements, ...UNCOUNTED }, packet.files, {
    placeOf: (file, free) => firstFree(free, [file.field, GENERAL]),
    full: 'its category and GENERAL are taken: merge the documents into one PDF',
    refuse: (file) => (file.bytes === 0 ? 'it is empty' : null),
  })
  const fitted = fitTexts(requirements, packet.texts, mustStayWhole)
  leaveOut(fitted, malformed(fitted.texts))
  leaveOut(fitted, incomplete({ texts: fitted.texts, files: placed.map(({ field }) => field) }))
  return planOf(placed, { ...fitted, dropped: [...dropped, ...fitted.dropped] }, ['stage', 'submit'])
}
