import type { CardScheme, TransactionFacts } from '../../domain/chargeback.ts'
import type { RawObject } from '../contract.ts'
import { codeResult, type ProvenPoints, threeDsResult } from '../shared/check-results.ts'
import { at, listAt } from '../shared/facts.ts'
import { asRecord, isStorable } from '../shared/raw-json.ts'
import { timeAt } from './facts.ts'
import { cardSchemeOf, paymentMethodOf } from './vocabulary.ts'

const SEARCH = 'search.transaction_details.0'
const UNIT = 'order.purchase_units.0'

/** Pure: the payment's facts. Values that can't be stored are omitted and never make a chargeback unmappable. */
export function toTransaction(context: RawObject): TransactionFacts {
  const known = JSON.parse(context.text) as Record<string, unknown>
  const [source, paid] = Object.entries(asRecord(at(known, 'order.payment_source')) ?? {})[0] ?? [null, null]
  const root = { ...known, paid }
  const text = (...paths: string[]) => paths.map((path) => stringAt(root, path)).find((value) => value !== null) ?? null
  // Mobile wallets contain their card.
  const card = source === 'card' ? 'paid' : 'paid.card'
  const network = 'capture.network_transaction_reference'
  const scheme = cardSchemeOf(text(`${card}.brand`, `${network}.network`))
  const bin = digits(text(`${card}.bin_details.bin`), 6, 8)
  const last4 = digits(text(`${card}.last_digits`), 4, 4)
  const arn = digits(text(`${network}.acquirer_reference_number`), 23, 23)
  // Without an order: a card network was used if there is an ARN, else a PayPal account.
  const unnamed = scheme === null && arn === null ? 'paypal' : 'card'
  const createdAt = dateAt(root, 'capture.create_time', `${SEARCH}.transaction_info.transaction_initiation_date`)
  const country = text(
    'order.payer.address.country_code',
    'paid.address.country_code',
    `${card}.billing_address.country_code`,
    `${SEARCH}.payer_info.country_code`,
  )
  return {
    transactionId: text('capture.id', `${SEARCH}.transaction_info.transaction_id`) ?? context.reference ?? '',
    transactionCreatedDate: createdAt,
    arn,
    cardScheme: scheme,
    paymentMethod: paymentMethodOf(source ?? unnamed, text(`${card}.type`)),
    bin,
    cardLastFourDigits: last4,
    billingCountry: country,
    dataPoints: present({
      transactionStatus: text('capture.status', `${SEARCH}.transaction_info.transaction_status`),
      transactionCreatedDate: createdAt,
      transactionArn: arn,
      transactionCardLastFourDigits: last4,
      transactionCardScheme: scheme,
      transactionCardBin: bin,
      transactionBillingAddressCountry: country,
      transactionCustomerDisplayedTransactionDescription: text(`${UNIT}.soft_descriptor`),
      transactionOrderEmail: text(
        'order.payer.email_address',
        'paid.email_address',
        `${SEARCH}.payer_info.email_address`,
      ),
      transactionOrderPhone: text('order.payer.phone.phone_number.national_number'),
      transactionOrderItemsProductName: text(`${UNIT}.items.0.name`, `${SEARCH}.cart_info.item_details.0.item_name`),
      transactionOrderItemsProductDescription: text(
        `${UNIT}.items.0.description`,
        `${UNIT}.description`,
        `${SEARCH}.cart_info.item_details.0.item_description`,
      ),
      ...shipping(text),
      ...provenByOrder(root, text, card, scheme),
    }),
  }
}

type Text = (...paths: string[]) => string | null

/** Orders and Transaction Search name the parts of an address differently. */
function shipping(text: Text): Record<string, string | null> {
  const order = `${UNIT}.shipping.address`
  const search = `${SEARCH}.shipping_info.address`
  const state = text(`${order}.admin_area_1`, `${search}.state`)
  const line1 = text(`${order}.address_line_1`, `${search}.line1`)
  const line2 = text(`${order}.address_line_2`, `${search}.line2`)
  const zip = text(`${order}.postal_code`, `${search}.postal_code`)
  const city = text(`${order}.admin_area_2`, `${search}.city`)
  const country = text(`${order}.country_code`, `${search}.country_code`)
  const full = [line1, line2, city, state, zip, country].filter((part) => part !== null).join(', ')
  return {
    transactionShippingToAddressLine1: line1,
    transactionShippingToAddressLine2: line2,
    transactionShippingToState: state !== null && /^[A-Z]{2}$/.test(state) ? state : null,
    transactionShippingToZipCode: zip,
    transactionShippingToFullShippingAddress: full === '' ? null : full,
    transactionShippingEmail: text(`${UNIT}.shipping.email_address`),
    transactionShippingPhone: text(`${UNIT}.shipping.phone_number.national_number`),
  }
}

/** `processor_response.avs_code`: PayPal's letters, equal for Visa, Mastercard and Discover. */
const AVS: Readonly<Record<string, string>> = {
  ...{ Y: 'match', X: 'match', D: 'match', F: 'match', M: 'match', A: 'address_match', B: 'address_match' },
  ...{ W: 'postal_code_match', Z: 'postal_code_match', P: 'postal_code_match', N: 'no_match', C: 'no_match' },
}
/** American Express uses the other letters for the name. */
const AMEX = new Set(['Y', 'A', 'Z', 'N'])

/** What PayPal's capture and order prove. Trackers name no number that PayPal documents, so there is no shipment. */
function provenByOrder(root: unknown, text: Text, card: string, scheme: CardScheme | null): ProvenPoints {
  const avs = text('capture.processor_response.avs_code') ?? ''
  const cvv = text('capture.processor_response.cvv_code')
  const isKnown = scheme !== null && (scheme !== 'amex' || AMEX.has(avs))
  return {
    avsResult: (isKnown && AVS[avs]) || null,
    cvvResult: codeResult(cvv === 'M' ? true : cvv === 'N' ? false : null),
    threeDsResult: threeDsResult(text(`${card}.authentication_result.three_d_secure.authentication_status`)),
    ...refundOf(root),
  }
}

/** The largest completed refund of an order with one capture: another capture's refund would be another payment's. */
function refundOf(root: unknown): ProvenPoints {
  const payments = 'order.purchase_units.0.payments'
  if (listAt(root, `${payments}.captures`).length > 1 || listAt(root, 'order.purchase_units').length > 1) return {}
  const amountOf = (refund: unknown) => Number(at(refund, 'amount.value'))
  const [refund] = listAt(root, `${payments}.refunds`)
    .filter((one) => one.status === 'COMPLETED' && amountOf(one) > 0)
    .sort((a, b) => amountOf(b) - amountOf(a))
  const texts = ['id', 'create_time', 'amount.value', 'amount.currency_code'].map((path) => at(refund, path))
  if (!refund || !texts.every((one) => typeof one === 'string')) return {}
  const [refundId = '', created = '', value, currency] = texts as string[]
  const arn = refund.acquirer_reference_number
  return {
    refundId,
    refundDate: created,
    refundAmount: `${value} ${currency}`,
    refundArn: typeof arn === 'string' && /^\d{23}$/.test(arn) ? arn : null,
  }
}

function stringAt(root: unknown, path: string): string | null {
  const value = at(root, path)
  return typeof value === 'string' && value !== '' && value.length <= 5000 && isStorable(value) ? value : null
}

function dateAt(root: unknown, ...paths: string[]): string | null {
  const time = paths.map((path) => timeAt(root, path)).find((value) => value !== null)
  return time === undefined || time === null ? null : new Date(time).toISOString()
}

function digits(value: string | null, least: number, most: number): string | null {
  return value !== null && /^\d+$/.test(value) && value.length >= least && value.length <= most ? value : null
}

function present(values: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
