import type { DisputePlan, JsonObject } from '../engine/contract.ts'
import { drawFrom, tokenOf } from '../engine/draw.ts'
import { reasonOf } from './situations.ts'

/** The payment of a dispute, as far as its AUTHORISATION notification describes it. */

const NAMES = ['Ayla Voss', 'Bruno Keane', 'Carla Dietz', 'Dario Lund', 'Elif Moreau', 'Finn Okoro', 'Greta Silva']
const PLACES = [
  { street: 'Herengracht', postalCode: '1015 BH', city: 'Amsterdam', state: null, country: 'NL' },
  { street: 'Rua Augusta', postalCode: '01305-000', city: 'São Paulo', state: 'SP', country: 'BR' },
  { street: 'Market Street', postalCode: '94103', city: 'San Francisco', state: 'CA', country: 'US' },
  { street: 'Karl-Marx-Allee', postalCode: '10243', city: 'Berlin', state: null, country: 'DE' },
  { street: 'Deansgate', postalCode: 'M3 2EN', city: 'Manchester', state: null, country: 'GB' },
]
/** Adyen's values for schemes, with the start of their card numbers. */
export const METHODS: Readonly<Record<string, { method: string; bin: string }>> = {
  visa: { method: 'visa', bin: '400005' },
  mastercard: { method: 'mc', bin: '555544' },
  amex: { method: 'amex', bin: '370000' },
  discover: { method: 'discover', bin: '601160' },
  diners: { method: 'diners', bin: '360066' },
  jcb: { method: 'jcb', bin: '356999' },
  unionpay: { method: 'cup', bin: '810901' },
}

export function methodOf(plan: DisputePlan): { method: string; bin: string } {
  return METHODS[reasonOf(plan).scheme ?? 'visa'] ?? { method: 'visa', bin: '400005' }
}

export function paymentReferenceOf({ token }: DisputePlan): string {
  return tokenOf(16, 'payment', token).toUpperCase()
}

export function isoOf(at: number): string {
  return new Date(at * 1000).toISOString().replace('.000Z', '+00:00')
}

export function merchantReferenceOf({ token }: DisputePlan): string {
  return `order-${token.slice(0, 8)}`
}

/** The NotificationRequestItem of the payment. One in twelve payments is older than the webhook's detail settings. */
export function authorisationItem(plan: DisputePlan): JsonObject {
  const draw = drawFrom(`${plan.token} payment`)
  const { method, bin } = methodOf(plan)
  const name = draw.one(NAMES)
  const { street, postalCode, city, state, country } = draw.one(PLACES)
  const number = draw.between(1, 240)
  const last4 = draw.digits(4)
  const address = (kind: string): JsonObject => ({
    [`${kind}.street`]: street,
    [`${kind}.houseNumberOrName`]: String(number),
    [`${kind}.postalCode`]: postalCode,
    [`${kind}.city`]: city,
    ...(state !== null && { [`${kind}.stateOrProvince`]: state }),
    [`${kind}.country`]: country,
  })
  const details: JsonObject = {
    cardBin: draw.chance(50) ? `${bin}${draw.digits(2)}` : bin,
    cardHolderName: name,
    cardIssuingCountry: country,
    issuerCountry: country,
    fundingSource: draw.one(['CREDIT', 'DEBIT', 'PREPAID']),
    shopperEmail: `${name.toLowerCase().replace(' ', '.')}@example.org`,
    shopperIP: `203.0.113.${draw.between(1, 254)}`,
    shopperTelephone: `+31${draw.digits(9)}`,
    shopperReference: `shopper-${draw.digits(6)}`,
    shopperCountry: country,
    ...address('billingAddress'),
    ...address('deliveryAddress'),
  }
  return {
    additionalData: {
      authCode: draw.digits(6),
      avsResult: '4 AVS not supported for this card type',
      cardSummary: last4,
      cvcResult: '1 Matches',
      expiryDate: `${draw.between(1, 12)}/2030`,
      paymentMethodVariant: method,
      ...(draw.chance(92) && details),
    },
    amount: { currency: plan.currency, value: plan.chargeAmount },
    eventCode: 'AUTHORISATION',
    eventDate: isoOf(plan.chargedAt),
    merchantAccountCode: plan.account,
    merchantReference: merchantReferenceOf(plan),
    operations: ['CANCEL', 'CAPTURE', 'REFUND'],
    paymentMethod: method,
    pspReference: paymentReferenceOf(plan),
    reason: `${draw.digits(6)}:${last4}:03/2030`,
    success: 'true',
  }
}
