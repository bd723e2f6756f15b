import type { PspStatus } from '../../domain/chargeback.ts'
import { currencyExponent, decimalToMinor } from '../../domain/money.ts'
import type { RawObject, Translation } from '../contract.ts'
import { listAt, objectOf, requiredText, textAt, translated, Unmappable } from '../shared/facts.ts'
import { replyByEnd } from './days.ts'
import { instantAt, instantOf } from './facts.ts'
import { cardSchemeOf, KINDS, lifecycleStageOf, PROGRAMS, pspStatusOf, REASONS } from './vocabulary.ts'

/** Increment when any result of `toChargeback` changes; stored disputes are then translated again. */
export const TRANSLATION_VERSION = 5

/**
 * Translates a Braintree dispute, the SDK's camelCase object as JSON. Pure. Absent fields and unknown values are
 * tolerated; an invalid amount, currency, date or id makes the object unmappable, with the reason.
 */
export function toChargeback(raw: RawObject): Translation {
  return translated(raw, (text) => translate(objectOf(text)))
}

function translate(dispute: Record<string, unknown>): Translation {
  if (dispute.unreadable !== undefined) throw new Unmappable('a part of the list could not be read and was passed over')
  const postingDate = instantAt(dispute, 'receivedDate') ?? instantAt(dispute, 'createdAt')
  if (postingDate === null) throw new Unmappable('receivedDate is missing')
  const status = requiredText(dispute, 'status')
  const kind = textAt(dispute, 'kind')
  const program = textAt(dispute, 'preDisputeProgram')
  const reason = textAt(dispute, 'reason')
  const code = textAt(dispute, 'reasonCode')
  const account = textAt(dispute, 'merchantAccountId')
  const money = amountOf(dispute)
  const scheme = cardSchemeOf(textAt(dispute, 'transaction.paymentInstrumentSubtype'))
  const updatedAt = instantAt(dispute, 'updatedAt')
  return {
    kind: 'chargeback',
    anomalies: anomaliesOf({ status, kind, program, reason, account }),
    facts: {
      chargebackId: requiredText(dispute, 'id'),
      psp: 'braintree',
      ...money,
      postingDate,
      transactionCreatedDate: instantAt(dispute, 'transaction.createdAt'),
      dueDate: dueDateOf(dispute),
      pspStatus: statusOf(dispute, status, kind, money),
      pspStatusChangeDate: latestChange(dispute) ?? updatedAt,
      lifecycleStage: lifecycleStageOf(kind, program),
      transactionId: textAt(dispute, 'transaction.id'),
      // referenceNumber is the processor's, not the ARN; only the transaction has that.
      arn: null,
      externalTransactionIdentifier: textAt(dispute, 'transaction.orderId'),
      // A gateway has several merchant accounts; the dispute names its own.
      merchantReferenceName: account,
      reasonCode: code ?? reason,
      reason: textAt(dispute, 'reasonDescription', 1000) ?? reason,
      cardScheme: scheme,
      paymentMethod: scheme === null ? null : 'card',
      bin: null,
      cardLastFourDigits: null,
      billingCountry: null,
      pspSequence: updatedAt === null ? null : BigInt(Date.parse(updatedAt)),
      ...(program === 'visa_rdr' && { providerName: 'Verifi RDR' as const }),
    },
  }
}

function dueDateOf(dispute: unknown): string | null {
  const text = textAt(dispute, 'replyByDate', 40)
  if (text === null) return null
  const end = replyByEnd(text)
  if (end === null) throw new Unmappable('replyByDate is not a date')
  return end
}

interface Money {
  currency: string
  amountMinor: bigint
  amountExponent: number
}

/** Decimal text in major units, converted digit by digit. 0 is possible (retrievals). `amount` is a legacy field. */
function amountOf(dispute: unknown): Money {
  const currency = requiredText(dispute, 'currencyIsoCode').toUpperCase()
  const amountExponent = currencyExponent(currency)
  if (amountExponent === undefined) throw new Unmappable('currencyIsoCode is unknown')
  const amountMinor = minorAt(dispute, 'amountDisputed', amountExponent)
  if (amountMinor === null || amountMinor < 0n || amountMinor > 10n ** 18n) {
    throw new Unmappable('amountDisputed is not a decimal of this currency')
  }
  return { currency, amountMinor, amountExponent }
}

function minorAt(dispute: unknown, path: string, exponent: number): bigint | null {
  const text = textAt(dispute, path, 40)
  if (text === null) return null
  try {
    return decimalToMinor(text, exponent)
  } catch {
    return null
  }
}

function statusOf(dispute: unknown, status: string, kind: string | null, money: Money): PspStatus {
  const plain = pspStatusOf(status)
  // A request for information that ended, with any result, without money at stake.
  const ended = plain === 'won' || plain === 'lost'
  if (ended && kind === 'retrieval' && money.amountMinor === 0n) return 'not_applicable'
  if (plain === 'won') {
    const won = minorAt(dispute, 'amountWon', money.amountExponent)
    return won !== null && won > 0n && won < money.amountMinor ? 'split' : 'won'
  }
  if (plain !== 'lost') return plain
  return status === 'expired' && neverSent(dispute) ? 'evidence_not_submitted_by_psp' : 'lost'
}

/** Evidence was attached at Braintree and never sent to the processor. */
function neverSent(dispute: unknown): boolean {
  const evidence = listAt(dispute, 'evidence')
  return evidence.length > 0 && evidence.every((entry) => !entry.sentToProcessorAt)
}

function latestChange(dispute: unknown): string | null {
  const times = listAt(dispute, 'statusHistory').flatMap(({ timestamp }) =>
    typeof timestamp === 'string' ? (instantOf(timestamp) ?? []) : [],
  )
  return times.sort().at(-1) ?? null
}

interface Words {
  status: string
  kind: string | null
  program: string | null
  reason: string | null
  account: string | null
}

function anomaliesOf({ status, kind, program, reason, account }: Words) {
  const found = [
    pspStatusOf(status) === 'unknown' && `unknown status ${status}`,
    !KINDS.includes(kind ?? '') && `unknown kind ${kind}`,
    program !== null && !PROGRAMS.includes(program) && `unknown preDisputeProgram ${program}`,
    account === null && 'no merchantAccountId',
    reason !== null && !REASONS.includes(reason) && `unknown reason ${reason}`,
  ]
  return found.filter((anomaly): anomaly is string => typeof anomaly === 'string')
}
