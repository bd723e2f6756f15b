import type { DisputePlan, JsonObject } from '../engine/contract.ts'
import { drawFrom, tokenOf } from '../engine/draw.ts'
import { buildDispute, decimal, instant, transactionIdOf } from './dispute.ts'
import { personOf } from './people.ts'
import { cardType, reasonOf, situationOf } from './situations.ts'

/** Issuer identification numbers of test cards by network. */
const BINS: Readonly<Record<string, string>> = {
  visa: '411111',
  mastercard: '555555',
  amex: '378282',
  discover: '601111',
  diners: '305693',
  jcb: '353011',
}

/**
 * What wasn't used is there all the same, with nothing in each of its fields: an empty element has no fields at all, and
 * the SDK for Python stops at it.
 */
const NO_CARD =
  nothing(`token bin last4 cardType expirationMonth expirationYear customerLocation cardholderName imageUrl
  prepaid healthcare debit durbinRegulated commercial payroll issuingBank countryOfIssuance productId
  uniqueNumberIdentifier venmoSdk accountType`)
const NO_ADDRESS = nothing(`id firstName lastName company streetAddress extendedAddress locality region postalCode
  countryName countryCodeAlpha2 countryCodeAlpha3 countryCodeNumeric phoneNumber`)

function nothing(fields: string): JsonObject {
  return Object.fromEntries(fields.split(/\s+/).map((field) => [field, null]))
}

/** GET /transactions/{id}: the payment of a dispute. */
export function buildTransaction(plan: DisputePlan): JsonObject {
  const draw = drawFrom(`${plan.token} transaction`)
  const person = personOf(plan.token)
  const dispute = buildDispute(plan)
  const summary = dispute.transaction as JsonObject
  const authorized = instant(plan.chargedAt)
  const settled = instant(plan.chargedAt + 86_400)
  return {
    id: transactionIdOf(plan),
    globalId: Buffer.from(`transaction_${transactionIdOf(plan)}`).toString('base64url'),
    status: 'settled',
    type: 'sale',
    currencyIsoCode: plan.currency,
    amount: decimal(plan.chargeAmount, plan.currency),
    merchantAccountId: dispute.merchantAccountId ?? null,
    orderId: summary.orderId ?? null,
    purchaseOrderNumber: null,
    createdAt: authorized,
    updatedAt: settled,
    customer: {
      id: draw.digits(9),
      firstName: person.firstName,
      lastName: person.lastName,
      email: draw.chance(85) ? person.email : null,
      phone: draw.chance(50) ? person.phone : null,
    },
    billing: person.address,
    shipping: draw.chance(60) ? { ...person.address, phoneNumber: person.phone } : NO_ADDRESS,
    refundIds: [],
    settlementBatchId: `${authorized.slice(0, 10)}_recoup`,
    avsErrorResponseCode: null,
    avsPostalCodeResponseCode: draw.one(['M', 'N', 'U', 'I']),
    avsStreetAddressResponseCode: draw.one(['M', 'N', 'U', 'I']),
    cvvResponseCode: draw.one(['M', 'M', 'N', 'U']),
    processorAuthorizationCode: draw.digits(6),
    networkTransactionId: draw.digits(15),
    // Some processors never report it.
    acquirerReferenceNumber: draw.chance(75) ? `7${draw.digits(22)}` : null,
    descriptor: { name: 'RCP*DEMO SHOP', phone: null, url: null },
    statusHistory: [
      { timestamp: authorized, status: 'authorized', amount: decimal(plan.chargeAmount, plan.currency), user: 'api' },
      { timestamp: settled, status: 'settled', amount: decimal(plan.chargeAmount, plan.currency), user: null },
    ],
    shipments: [],
    riskData: { decision: draw.one(['Approve', 'Not Evaluated']), deviceDataCaptured: draw.chance(50) },
    ...instrumentOf(plan),
    disputes: [dispute],
  }
}

function instrumentOf(plan: DisputePlan): JsonObject {
  const draw = drawFrom(`${plan.token} instrument`)
  const reason = reasonOf(plan)
  const person = personOf(plan.token)
  if (situationOf(plan).variant === 'alternative') {
    const paypal = { payerEmail: person.email, payerId: `PAYER${draw.digits(8)}`, captureId: draw.digits(17) }
    return { paymentInstrumentType: 'paypal_account', creditCard: NO_CARD, paypal }
  }
  const type = draw.one(['credit_card', 'credit_card', 'credit_card', 'apple_pay_card', 'android_pay_card'])
  const name = cardType(reason) ?? 'Visa'
  const bin = BINS[reason.scheme ?? ''] ?? '411111'
  const expiry = { expirationMonth: '04', expirationYear: '2030' }
  const issuer = { countryOfIssuance: 'USA', issuingBank: 'EXAMPLE BANK', debit: draw.one(['Yes', 'No', 'Unknown']) }
  if (type === 'apple_pay_card') {
    const cardholderName = `${person.firstName} ${person.lastName}`
    const applePay = {
      cardType: `Apple Pay - ${name}`,
      bin,
      last4: draw.digits(4),
      cardholderName,
      ...expiry,
      ...issuer,
    }
    return { paymentInstrumentType: type, creditCard: NO_CARD, applePay }
  }
  if (type === 'android_pay_card') {
    const source = { sourceCardType: name, sourceCardLast4: draw.digits(4) }
    const androidPayCard = {
      ...source,
      virtualCardType: name,
      virtualCardLast4: draw.digits(4),
      bin,
      ...expiry,
      ...issuer,
    }
    return { paymentInstrumentType: type, creditCard: NO_CARD, androidPayCard }
  }
  const creditCard = {
    token: tokenOf(6, plan.token, 'card').toLowerCase(),
    bin,
    last4: draw.digits(4),
    cardType: name,
    cardholderName: `${person.firstName} ${person.lastName}`,
    uniqueNumberIdentifier: tokenOf(30, plan.token, 'fingerprint').toLowerCase(),
    prepaid: draw.one(['No', 'No', 'Yes']),
    ...expiry,
    ...issuer,
  }
  return { paymentInstrumentType: type, creditCard }
}
