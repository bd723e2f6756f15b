import type { TransactionFacts } from '../../domain/chargeback.ts'
import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { isStorable, sliceMember } from '../shared/raw-json.ts'
import { provenByCharge } from './checks.ts'
import type { StripeClient } from './client.ts'
import { idAt } from './facts.ts'
import { cardSchemeOf, paymentMethodOf } from './vocabulary.ts'

const EXPANDED = ['payment_intent', 'customer', 'refunds']

/**
 * The charge of a dispute, with the dispute's own evidence: `{"charge": …, "evidence": …}`, both as Stripe sent them.
 * Null without a charge, or when the key may not read charges (`checkCredentials` reports that).
 */
export async function fetchContext(client: StripeClient, dispute: RawObject): Promise<RawObject | null> {
  const chargeId = chargeOf(dispute)
  if (chargeId === null) return null
  const text = (await readCharge(client, chargeId, EXPANDED)) ?? (await readCharge(client, chargeId, []))
  if (text === null) return null
  const evidence = sliceMember(dispute.text, 'evidence') ?? 'null'
  return { reference: chargeId, text: `{"charge":${text.trim()},"evidence":${evidence}}` }
}

function chargeOf(dispute: RawObject): string | null {
  try {
    const id = idAt(JSON.parse(dispute.text), 'charge')
    return id !== null && /^\w+$/.test(id) ? id : null
  } catch {
    return null
  }
}

async function readCharge(client: StripeClient, chargeId: string, expand: string[]): Promise<string | null> {
  try {
    const answer = await client.read('charge', (sdk, options) => sdk.charges.retrieve(chargeId, { expand }, options))
    return answer.text
  } catch (error) {
    const skip = error instanceof PspError && (error.kind === 'permission_missing' || error.kind === 'not_found')
    if (skip) return null
    throw error
  }
}

/** Pure: the charge's facts. Values that can't be stored are omitted and never make a chargeback unmappable. */
export function toTransaction(context: RawObject): TransactionFacts {
  const root: unknown = JSON.parse(context.text)
  const text = (...paths: string[]) => paths.map((path) => stringAt(root, path)).find((value) => value !== null) ?? null
  const card = 'charge.payment_method_details.card'
  const type = text('charge.payment_method_details.type')
  const wallet = text(`${card}.wallet.type`)
  const country = text('charge.billing_details.address.country')
  const scheme = cardSchemeOf(text(`${card}.network`, `${card}.brand`))
  return {
    transactionId: text('charge.id') ?? context.reference ?? '',
    transactionCreatedDate: dateAt(root, 'charge.created'),
    // Only refunds have an ARN, and it is the refund's.
    arn: null,
    cardScheme: scheme,
    paymentMethod: paymentMethodOf(type, wallet, text(`${card}.funding`)),
    bin: digits(text(`${card}.iin`), 6, 8),
    cardLastFourDigits: digits(text(`${card}.last4`), 4, 4),
    billingCountry: country,
    dataPoints: present({
      transactionStatus: text('charge.status'),
      transactionCreatedDate: dateAt(root, 'charge.created'),
      transactionCardLastFourDigits: digits(text(`${card}.last4`), 4, 4),
      // The device's number, not the card's.
      transactionCardAppleLast4Digits:
        wallet === 'apple_pay' ? digits(text(`${card}.wallet.dynamic_last4`), 4, 4) : null,
      transactionCardScheme: scheme,
      transactionCardBin: digits(text(`${card}.iin`), 6, 8),
      transactionCardFingerprint: text(`${card}.fingerprint`),
      transactionCustomerDisplayedTransactionDescription: text('charge.calculated_statement_descriptor'),
      transactionOrderEmail: text(
        'charge.billing_details.email',
        'charge.receipt_email',
        'charge.customer.email',
        'evidence.customer_email_address',
        'charge.payment_method_details.paypal.payer_email',
      ),
      transactionOrderPhone: text('charge.billing_details.phone', 'charge.customer.phone'),
      transactionOrderIpAddress: text('evidence.customer_purchase_ip'),
      transactionOrderItemsProductDescription: text('evidence.product_description', 'charge.description'),
      transactionBillingAddressCountry: country,
      ...shipping(text),
      ...provenByCharge(root, text),
    }),
  }
}

function shipping(text: (...paths: string[]) => string | null): Record<string, string | null> {
  const address = 'charge.shipping.address'
  const part = (name: string) => text(`${address}.${name}`)
  const state = part('state')
  const parts = ['line1', 'line2', 'city', 'state', 'postal_code', 'country'].map(part)
  return {
    transactionShippingToAddressLine1: part('line1'),
    transactionShippingToAddressLine2: part('line2'),
    transactionShippingToState: state !== null && /^[A-Z]{2}$/.test(state) ? state : null,
    transactionShippingToZipCode: part('postal_code'),
    transactionShippingToFullShippingAddress:
      parts.filter((value) => value !== null).join(', ') || text('evidence.shipping_address'),
    transactionShippingPhone: text('charge.shipping.phone'),
  }
}

function stringAt(root: unknown, path: string): string | null {
  const value = at(root, path)
  return typeof value === 'string' && value !== '' && value.length <= 5000 && isStorable(value) ? value : null
}

function dateAt(root: unknown, path: string): string | null {
  const value = at(root, path)
  const sane = Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 253_402_300_800
  return sane ? new Date((value as number) * 1000).toISOString() : null
}

function digits(value: string | null, ...lengths: number[]): string | null {
  return value !== null && /^\d+$/.test(value) && lengths.includes(value.length) ? value : null
}

function present(values: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
