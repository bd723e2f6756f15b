import { visible } from './visible.ts'
import { dateTime } from './when.tsx'

/** `transactionOrderDeviceId` → `Order device id`, `shipping_carrier` → `Shipping carrier`: a name as a label. */
export function labelOf(name: string): string {
  const words = visible(name)
    .replace(/^transaction(?=[A-Z])/, '')
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\b(arn|avs|bin|cvc|eci|ip|url)\b/g, (short) => short.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Names that aren't made of the word alone. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ paypal: 'PayPal', recoup_sandbox: 'Sandbox' },
  ...{ amex: 'American Express', jcb: 'JCB', unionpay: 'UnionPay', cartes_bancaires: 'Cartes Bancaires' },
  ...{
    ach: 'ACH',
    sepa_debit: 'SEPA debit',
    apple_pay: 'Apple Pay',
    google_pay: 'Google Pay',
    amazon_pay: 'Amazon Pay',
  },
  ...{ pending_psp_results: 'Pending PSP results', evidence_not_submitted_by_psp: 'Evidence not submitted by PSP' },
}

/**
 * The name that a person reads for a PSP, stage, status, reason group, card scheme or payment method of the API:
 * `second_chargeback` → `Second chargeback`. Any other text stays as it is: a page's address can have anything as a filter.
 */
export function nameOf(word = ''): string {
  if (Object.hasOwn(NAMES, word)) return NAMES[word] as string
  return /^[a-z][a-z_]*$/.test(word) ? labelOf(word) : visible(word)
}

/** A value of a scope rule. Reason codes stay as the PSP writes them. */
export function ruleValue(dimension: string | undefined, value = ''): string {
  return dimension === 'reasonCodes' ? visible(value) : nameOf(value)
}

/** How a data point is asked for, by its name: the API takes any JSON value. */
export function inputOf(name: string): 'yes-no' | 'date' | 'text' {
  if (
    /^(liabilityShift|signedDelivery|usageAfterPurchase|refundProof|policyAccepted|notReturned|is[A-Z]\w*)$/.test(name)
  )
    return 'yes-no'
  return /Date$/.test(name) ? 'date' : 'text'
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

/** A stored value as text; empty for nothing. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return TIME.test(value) ? dateTime(value) : value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return JSON.stringify(value)
}

export const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
