import { SANDBOX_SOURCE } from '../../domain/chargeback.ts'
import { currencyExponent, minorToDecimal } from '../../domain/money.ts'
import type { DisputePlan, Json, JsonObject } from '../engine/contract.ts'
import { drawFrom } from '../engine/draw.ts'
import { reasonOf, situationOf } from './situations.ts'

const GIVEN = ['Ada', 'Bela', 'Chidi', 'Dorte', 'Emre', 'Fatou', 'Goran', 'Hana']
const FAMILY = ['Arden', 'Brandvold', 'Dunmore', 'Falk', 'Haddock', 'Ivory', 'Sorel', 'Tamm']
const COUNTRIES = ['US', 'GB', 'DE', 'FR', 'SE', 'JP', 'CA']

/** A chargeback in the Recoup format, from its plan. Deterministic. */
export function buildChargeback(plan: DisputePlan): JsonObject {
  const { word, stage, open } = situationOf(plan)
  const reason = reasonOf(plan)
  const card = cardOf(plan)
  const updatedAt = isoOf(open ? plan.createdAt : plan.endedAt)
  const submitted = ['under_review', 'won'].includes(word) && stage !== 'alert'
  const facts: { [field: string]: Json | undefined } = {
    chargebackId: plan.reference,
    psp: SANDBOX_SOURCE,
    currency: plan.currency,
    amount: decimalOf(plan.amount, plan.currency),
    postingDate: isoOf(plan.createdAt),
    transactionCreatedDate: isoOf(plan.chargedAt),
    dueDate: plan.dueAt === null ? undefined : isoOf(plan.dueAt),
    pspStatusChangeDate: updatedAt,
    pspStatus: word,
    lifecycleStage: stage,
    transactionId: transactionIdOf(plan),
    arn: `7${drawFrom(`${plan.token} arn`).digits(22)}`,
    externalTransactionIdentifier: `order-${plan.token.slice(0, 10)}`,
    merchantReferenceName: plan.account,
    reasonCode: reason.code ?? reason.word,
    reason: reason.word,
    ...card,
    ...(stage === 'alert' && { providerName: 'Ethoca' }),
    sandbox: {
      updatedAt,
      acceptedAt: null,
      submissions: submitted ? 1 : 0,
      evidenceDigest: submitted ? '0'.repeat(64) : null,
    },
  }
  return Object.fromEntries(Object.entries(facts).filter((fact): fact is [string, Json] => fact[1] !== undefined))
}

function cardOf(plan: DisputePlan): JsonObject {
  const draw = drawFrom(`${plan.token} card`)
  const { kind, scheme } = reasonOf(plan)
  const billingCountry = draw.one(COUNTRIES)
  if (kind === 'wallet') return { paymentMethod: 'paypal', billingCountry }
  return {
    cardScheme: scheme ?? 'other',
    paymentMethod: draw.one(['credit_card', 'debit_card', 'apple_pay', 'google_pay']),
    bin: `4${draw.digits(5)}`,
    cardLastFourDigits: draw.digits(4),
    billingCountry,
  }
}

/**
 * The transaction of a chargeback, with the names of `POST /transactions`. Its cardholder is invented (RFC 2606, RFC
 * 5737).
 */
export function buildTransaction(plan: DisputePlan): JsonObject {
  const draw = drawFrom(`${plan.token} person`)
  const [given, family] = [draw.one(GIVEN), draw.one(FAMILY)]
  const { cardScheme, paymentMethod, bin, cardLastFourDigits, billingCountry } = buildChargeback(plan)
  const transaction: { [field: string]: Json | undefined } = {
    transactionId: transactionIdOf(plan),
    transactionCreatedDate: isoOf(plan.chargedAt),
    transactionStatus: 'settled',
    transactionCardScheme: cardScheme,
    transactionCardBin: bin,
    transactionCardLastFourDigits: cardLastFourDigits,
    transactionBillingAddressCountry: billingCountry,
    transactionOrderEmail: `${given}.${family}.${draw.digits(4)}@example.com`.toLowerCase(),
    transactionOrderIpAddress: `203.0.113.${draw.between(1, 254)}`,
    transactionOrderDeviceId: `device-${draw.digits(16)}`,
    transactionOrderItemsProductName: draw.one(['Trail shoes', 'Annual plan', 'Espresso grinder', 'Concert ticket']),
    paymentMethod,
  }
  return Object.fromEntries(Object.entries(transaction).filter((fact): fact is [string, Json] => fact[1] !== undefined))
}

export function transactionIdOf(plan: DisputePlan): string {
  return `tx_${plan.token.slice(0, 16)}`
}

export function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** The amount as a JSON number in the currency's own digits. */
export function decimalOf(minor: number, currency: string): number {
  return Number(minorToDecimal(BigInt(minor), currencyExponent(currency) ?? 2))
}
