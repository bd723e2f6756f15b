import type { FactName } from '../../domain/evidence/fact-catalogue.ts'
import type { Shown } from '../../domain/evidence/texts/text-table.ts'
import type { FILE_CATEGORIES } from './evidence-limits.ts'

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
  return says('account', ...USE) ? ['MERCHANT_WEBSITE_OR_APP_ACCESS'] : []
}
