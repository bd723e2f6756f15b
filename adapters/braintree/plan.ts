import type { FactName } from '../../domain/evidence/fact-catalogue.ts'
import type { Shown } from '../../domain/evidence/texts/text-table.ts'
import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { firstFree, fitTexts, leaveOut, placeFiles, planOf } from '../shared/evidence-plan.ts'
import { incomplete } from './companions.ts'
import { type FILE_CATEGORIES, GENERAL, malformed, mustStayWhole } from './evidence-limits.ts'

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

const USE: readonly FactName[] = ['downloadDate', 'lastUseDate', 'activityEntries', 'serviceDate']

/** Category of the PDF by what it proves (Braintree docs, Evidence categories); none: GENERAL. */
export function placesOf({ play, facts, exhibits }: Shown): (typeof FILE_CATEGORIES)[number][] {
  const says = (...names: FactName[]) => names.some((name) => facts.has(name))
  if (play === 'not_received') {
    if (!says('deliveryDate')) return says(...USE) ? ['PROOF_OF_POSSESSION_OR_USAGE'] : []
    return says('deliverySignedBy') || exhibits.has('signature') ? ['SIGNED_DELIVERY_FORM'] : ['PROOF_OF_DELIVERY']
  }
  if (play !== 'fraud_cnp') return []
  if (says('authenticated', 'authenticationAttempted')) return ['PROOF_OF_3D_SECURE']
  if (says('deliveryDate')) return ['PROOF_OF_DELIVERY']
  return says('origin', ...USE) ? ['MERCHANT_WEBSITE_OR_APP_ACCESS'] : []
}
