import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { firstFree, fitTexts, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { COMPELLING_EVIDENCE, compellingLimit, compellingTexts, isCompelling } from './compelling-evidence.ts'

/** Default place of a file, also when its own is taken. */
const REST = 'uncategorized_file'

/** The steps for a packet: upload each file in its place, stage, submit. */
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

/** The plain texts, and on request the earlier purchases: all of them or none. */
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
    fitted.dropped.push({ what: COMPELLING_EVIDENCE, why: 'it does not fit completely with the other texts' })
  }
  return fitted
}
