import { minorToDecimal } from '../../domain/money.ts'
import { addressResult, codeResult, eciOf, type PartMatches, type ProvenPoints } from '../shared/check-results.ts'
import { at, listAt } from '../shared/facts.ts'
import { amountExponentOf } from './vocabulary.ts'

const CARD = 'charge.payment_method_details.card'

/** `payment_method_details.card.three_d_secure.result`; exempted, data_share_only and others prove nothing. */
const THREE_DS: Readonly<Record<string, string>> = {
  authenticated: 'authenticated',
  attempt_acknowledged: 'attempted',
  failed: 'failed',
}

/** `payment_method_details.card_present.read_method`; a magnetic stripe proves nothing. */
const CARD_ENTRY: Readonly<Record<string, string>> = { contact_emv: 'chip', contactless_emv: 'contactless' }

type Text = (...paths: string[]) => string | null

/** What Stripe's charge proves: checks, authorization, shipment and refund. */
export function provenByCharge(root: unknown, text: Text): ProvenPoints {
  const check = (name: string) => partOf(text(`${CARD}.checks.${name}`))
  return {
    avsResult: addressResult(check('address_line1_check'), check('address_postal_code_check')),
    cvvResult: codeResult(check('cvc_check')),
    threeDsResult: THREE_DS[text(`${CARD}.three_d_secure.result`) ?? ''] ?? null,
    eci: eciOf(text(`${CARD}.three_d_secure.electronic_commerce_indicator`, `${CARD}.electronic_commerce_indicator`)),
    authorizationCode: text(`${CARD}.authorization_code`, 'charge.authorization_code'),
    authorizedAmount: amountIn(at(root, `${CARD}.amount_authorized`), at(root, 'charge.currency')),
    cardEntry: CARD_ENTRY[text('charge.payment_method_details.card_present.read_method') ?? ''] ?? null,
    shippingCarrier: text('charge.shipping.carrier'),
    shippingTrackingNumber: text('charge.shipping.tracking_number'),
    ...refundOf(root),
  }
}

/** pass, fail, unavailable or unchecked */
const partOf = (word: string | null): PartMatches => (word === 'pass' ? true : word === 'fail' ? false : null)

/** The largest refund that succeeded: one refund is one date. */
function refundOf(root: unknown): ProvenPoints {
  const [refund] = listAt(root, 'charge.refunds.data')
    .filter(({ status, amount, created }) => status === 'succeeded' && isCount(amount) && isCount(created))
    .sort((a, b) => Number(b.amount) - Number(a.amount))
  const { id, amount, created, currency } = refund ?? {}
  if (typeof id !== 'string' || typeof currency !== 'string') return {}
  const reference = (name: string) => at(refund, `destination_details.card.${name}`)
  const hasArn = reference('reference_type') === 'acquirer_reference_number'
  const arn = hasArn && reference('reference_status') === 'available' ? reference('reference') : null
  return {
    refundId: id,
    refundDate: new Date(Number(created) * 1000).toISOString(),
    refundAmount: amountIn(amount, currency),
    refundArn: typeof arn === 'string' && /^\d{23}$/.test(arn) ? arn : null,
  }
}

/** `12.5 USD` of minor units; null of anything else. */
function amountIn(minor: unknown, currency: unknown): string | null {
  if (!isCount(minor) || typeof currency !== 'string') return null
  const code = currency.toUpperCase()
  return `${minorToDecimal(BigInt(minor as number), amountExponentOf(code))} ${code}`
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 37
