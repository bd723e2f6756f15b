import type { TransactionFacts } from '../../domain/chargeback.ts'
import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { addressResult, codeResult, eciOf, type PartMatches, type ProvenPoints } from '../shared/check-results.ts'
import { at, listAt } from '../shared/facts.ts'
import { isStorable } from '../shared/raw-json.ts'
import { canonicalText } from './canonical.ts'
import type { BraintreeClient } from './client.ts'
import { instantOf } from './facts.ts'
import { cardSchemeOf, paymentMethodOf } from './vocabulary.ts'

/** The transaction of a dispute. Null when this merchant can't read it: archived, or at another gateway. */
export async function fetchContext(client: BraintreeClient, dispute: RawObject): Promise<RawObject | null> {
  const id = transactionOf(dispute)
  if (id === null) return null
  try {
    // The SDK returns the transaction itself, without an envelope.
    const transaction = await client.read((gateway) => gateway.transaction.find(id))
    return transaction.id === id ? { reference: id, text: canonicalText(transaction) } : null
  } catch (error) {
    if (error instanceof PspError && (error.kind === 'not_found' || error.kind === 'permission_missing')) return null
    throw error
  }
}

function transactionOf(dispute: RawObject): string | null {
  try {
    const id = at(JSON.parse(dispute.text), 'transaction.id')
    return typeof id === 'string' && /^[A-Za-z0-9_-]+$/.test(id) ? id : null
  } catch {
    return null
  }
}

/** The SDK creates all of these objects for every transaction; only the type says which one was used. */
const CARDS: Readonly<Record<string, string>> = {
  credit_card: 'creditCard',
  apple_pay_card: 'applePayCard',
  android_pay_card: 'androidPayCard',
  visa_checkout_card: 'visaCheckoutCard',
  samsung_pay_card: 'samsungPayCard',
  meta_checkout_card: 'metaCheckoutCard',
  meta_checkout_token: 'metaCheckoutToken',
  network_token: 'networkToken',
}

interface CardFacts {
  scheme: string | null
  last4: string | null
  /** Number of the device token, if the wallet provides both. */
  deviceLast4: string | null
  bin: string | null
}

/** Pure: the transaction's facts. Values that can't be stored are omitted and never make a chargeback unmappable. */
export function toTransaction(context: RawObject): TransactionFacts {
  const transaction: unknown = JSON.parse(context.text)
  const text = (...paths: string[]) => paths.map((path) => stringAt(transaction, path)).find((v) => v !== null) ?? null
  const type = text('paymentInstrumentType')
  const card = cardOf(transaction, type)
  const scheme = cardSchemeOf(card.scheme)
  const country = letters(text('billing.countryCodeAlpha2'))
  const createdAt = dateAt(transaction, 'createdAt')
  const details = CARDS[type ?? ''] ?? ''
  return {
    transactionId: text('id') ?? context.reference ?? '',
    transactionCreatedDate: createdAt,
    arn: digits(text('acquirerReferenceNumber'), 23, 23),
    cardScheme: scheme,
    paymentMethod: paymentMethodOf(type, {
      debit: at(transaction, `${details}.debit`),
      prepaid: at(transaction, `${details}.prepaid`),
    }),
    bin: card.bin,
    cardLastFourDigits: card.last4,
    billingCountry: country,
    dataPoints: present({
      transactionStatus: text('status'),
      transactionCreatedDate: createdAt,
      transactionArn: digits(text('acquirerReferenceNumber'), 23, 23),
      transactionCardLastFourDigits: card.last4,
      transactionCardAppleLast4Digits: type === 'apple_pay_card' ? card.deviceLast4 : null,
      transactionCardScheme: scheme,
      transactionCardBin: card.bin,
      transactionCardFingerprint: text(`${details}.uniqueNumberIdentifier`),
      transactionCustomerDisplayedTransactionDescription: text('descriptor.name'),
      transactionOrderEmail: text('customer.email', 'paypalAccount.payerEmail', 'billing.email'),
      transactionOrderPhone: text('customer.phone', 'billing.phoneNumber'),
      transactionBillingAddressCountry: country,
      ...shippingOf(text),
      ...provenByTransaction(transaction, text),
    }),
  }
}

function cardOf(transaction: unknown, type: string | null): CardFacts {
  const field = (name: string) => stringAt(transaction, `${CARDS[type ?? '']}.${name}`)
  const bin = digits(field('bin'), 6, 8)
  if (type === 'android_pay_card') {
    // The virtual number belongs to the device, the source card to the cardholder.
    return {
      scheme: field('sourceCardType') ?? field('cardType') ?? field('virtualCardType'),
      last4: digits(field('sourceCardLast4') ?? field('last4'), 4, 4),
      deviceLast4: digits(field('virtualCardLast4') ?? field('last4'), 4, 4),
      bin,
    }
  }
  const last4 = digits(field('sourceCardLast4') ?? field('last4'), 4, 4)
  return { scheme: field('cardType'), last4, deviceLast4: digits(field('last4'), 4, 4), bin }
}

function shippingOf(text: (...paths: string[]) => string | null): Record<string, string | null> {
  const part = (name: string) => text(`shipping.${name}`)
  const parts = ['streetAddress', 'extendedAddress', 'locality', 'region', 'postalCode', 'countryCodeAlpha2'].map(part)
  return {
    transactionShippingToAddressLine1: part('streetAddress'),
    transactionShippingToAddressLine2: part('extendedAddress'),
    transactionShippingToState: letters(part('region')),
    transactionShippingToZipCode: part('postalCode'),
    transactionShippingToFullShippingAddress: parts.filter((value) => value !== null).join(', ') || null,
    transactionShippingPhone: part('phoneNumber'),
  }
}

/** `threeDSecureInfo.status`; lookups, exemptions and errors prove nothing. */
const THREE_DS: Readonly<Record<string, string>> = {
  authenticate_successful: 'authenticated',
  authenticate_attempt_successful: 'attempted',
  authenticate_failed: 'failed',
  authenticate_rejected: 'failed',
}

type Text = (...paths: string[]) => string | null

/** What Braintree's transaction proves. A refund is only an id here: its amount and date are another transaction's. */
function provenByTransaction(transaction: unknown, text: Text): ProvenPoints {
  const check = (name: string) => partOf(text(name))
  const refunds = at(transaction, 'refundIds')
  const [refund, ...others] = Array.isArray(refunds) ? refunds : []
  return {
    avsResult: addressResult(check('avsStreetAddressResponseCode'), check('avsPostalCodeResponseCode')),
    cvvResult: codeResult(check('cvvResponseCode')),
    threeDsResult: THREE_DS[text('threeDSecureInfo.status') ?? ''] ?? null,
    eci: eciOf(text('threeDSecureInfo.eciFlag')),
    authorizationCode: text('processorAuthorizationCode'),
    refundId: typeof refund === 'string' && others.length === 0 ? refund : null,
    ...shipmentOf(transaction),
  }
}

/** M matches, N does not; U, I, S, A, B say that nothing was checked. */
const partOf = (letter: string | null): PartMatches => (letter === 'M' ? true : letter === 'N' ? false : null)

/** The shipment, if there is one: of several, nobody knows which one the dispute is about. */
function shipmentOf(transaction: unknown): ProvenPoints {
  const [shipment, ...others] = listAt(transaction, 'shipments')
  const { carrier, trackingNumber } = shipment ?? {}
  if (others.length > 0 || typeof carrier !== 'string' || typeof trackingNumber !== 'string') return {}
  return { shippingCarrier: carrier, shippingTrackingNumber: trackingNumber }
}

function stringAt(root: unknown, path: string): string | null {
  const value = at(root, path)
  return typeof value === 'string' && value !== '' && value.length <= 5000 && isStorable(value) ? value : null
}

function dateAt(root: unknown, path: string): string | null {
  const text = stringAt(root, path)
  return text === null ? null : instantOf(text)
}

/** A code of two capital letters, of a country or a state. */
function letters(value: string | null): string | null {
  return value !== null && /^[A-Z]{2}$/.test(value) ? value : null
}

function digits(value: string | null, least: number, most: number): string | null {
  return value !== null && /^\d+$/.test(value) && value.length >= least && value.length <= most ? value : null
}

function present(values: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
