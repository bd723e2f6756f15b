import type { JsonObject } from '../engine/contract.ts'
import { invalid } from './errors.ts'

/** Braintree's checks before the evidence is submitted. @throws BraintreeRefusal 422 */
export function checkFinalize(evidence: readonly JsonObject[], evidenceRequired: boolean): void {
  if (evidence.length === 0 && evidenceRequired) throw invalid('95726', 'dispute')
  const has = (...categories: string[]) =>
    categories.every((category) => evidence.some((entry) => entry.category === category))

  // A device without a download is reported as both errors.
  if ((has('DEVICE_ID') || has('DEVICE_NAME')) && !has('DOWNLOAD_DATE_TIME'))
    throw invalid(['95720', '95721'], 'dispute')
  if (has('DOWNLOAD_DATE_TIME') && companions(has) < 2) throw invalid('95720', 'dispute')
  const prior = (name: string) => `PRIOR_NON_DISPUTED_TRANSACTION_${name}`
  if (has(prior('ARN')) && !has(prior('DATE_TIME'))) throw invalid('95723', 'dispute')
  if (has(prior('DATE_TIME')) && !has(prior('ARN')) && !has(prior('ID'))) throw invalid('95722', 'dispute')
  const details = ['EMAIL_ADDRESS', 'IP_ADDRESS', 'PHONE_NUMBER', 'PHYSICAL_ADDRESS'].map(prior)
  if (has(prior('ID')) && !(has(prior('DATE_TIME')) && details.some((name) => has(name))))
    throw invalid('95727', 'dispute')
  if (has('RECURRING_TRANSACTION_ARN') && !has('RECURRING_TRANSACTION_DATE_TIME')) throw invalid('95724', 'dispute')
  if (has('RECURRING_TRANSACTION_DATE_TIME') && !has('RECURRING_TRANSACTION_ARN')) throw invalid('95725', 'dispute')
}

/** Facts about a download of a digital good, of which two are required. */
function companions(has: (...categories: string[]) => boolean): number {
  return [
    has('DEVICE_ID', 'DEVICE_NAME'),
    has('MERCHANT_WEBSITE_OR_APP_ACCESS'),
    has('PROFILE_SETUP_OR_APP_ACCESS'),
    has('PRIOR_DIGITAL_GOODS_TRANSACTION_ID', 'PRIOR_DIGITAL_GOODS_TRANSACTION_DATE_TIME'),
    has('PURCHASER_IP_ADDRESS', 'GEOGRAPHICAL_LOCATION'),
    has('PURCHASER_NAME', 'PURCHASER_EMAIL_ADDRESS'),
  ].filter(Boolean).length
}
