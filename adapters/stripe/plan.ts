import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { firstFree, fitTexts, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { COMPELLING_EVIDENCE, compellingLimit, compellingTexts, isCompelling } from './compelling-evidence.ts'

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
  const fitted = fitAll(requirements, packet)
  return planOf(placed, { ...fitted, dropped: [...dropped, ...fitted.dropped] }, ['stage', 'submit'])
}

/** The plain texts, and the earlier purchases where they are asked for: those whole or not at all. */
function fitAll(requirements: EvidenceRequirements, { texts, purchases }: EvidencePacket) {
  if (!requirements.compellingEvidence || !purchases) return fitTexts(requirements, texts)
  const compelling = compellingTexts(purchases)
  const names = Object.keys(compelling.texts)
  const textFields = { ...requirements.textFields, ...Object.fromEntries(names.map((n) => [n, compellingLimit(n)])) }
  const cuttable = (field: string) => !isCompelling(field) || field.endsWith('.product_description')
  const fitted = fitTexts({ ...requirements, textFields }, { ...texts, ...compelling.texts }, (f) => !cuttable(f))
  fitted.dropped.push(...compelling.dropped)
  if (names.some((name) => fitted.texts[name] === undefined)) {
    for (const name of names) delete fitted.texts[name]
    fitted.dropped.push({ what: COMPELLING_EVIDENCE, why: 'it does not fit whole beside the other texts' })
  }
  return fitted
}
