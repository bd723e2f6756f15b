import { isCurrency } from '../../domain/money.ts'
import type { RawObject, Translation } from '../contract.ts'
import { at, firstText, objectIn, requiredText, textAt, translated, Unmappable } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'
import { idAt, instantAt } from './facts.ts'
import { amountExponentOf, cardSchemeOf, lifecycleStageOf, paymentMethodOf, pspStatusOf } from './vocabulary.ts'

/** Increment when any result of `toChargeback` changes; stored disputes are then translated again. */
export const TRANSLATION_VERSION = 3

const CASE_TYPES = new Set(['block', 'chargeback', 'compliance', 'inquiry', 'resolution'])

/**
 * Translates a Stripe dispute. Pure. Absent fields and unknown values are tolerated; an invalid amount, currency, time
 * or id makes the object unmappable, with the reason.
 */
export function toChargeback(raw: RawObject): Translation {
  return translated(raw, () => translate(objectIn(raw)))
}

function translate(dispute: Record<string, unknown>): Translation {
  if (at(dispute, 'object') !== 'dispute') throw new Unmappable('object is not "dispute"')
  if (!asRecord(at(dispute, 'evidence_details'))) throw new Unmappable('evidence_details is missing')
  const postingDate = instantAt(dispute, 'created')
  if (postingDate === null) throw new Unmappable('created is missing')

  const status = requiredText(dispute, 'status')
  const caseType = textAt(dispute, 'payment_method_details.card.case_type')
  const money = amountOf(dispute)
  const anomalies = anomaliesOf(dispute, status, caseType)
  return {
    kind: 'chargeback',
    anomalies,
    facts: {
      chargebackId: requiredText(dispute, 'id'),
      psp: 'stripe',
      ...money,
      postingDate,
      transactionCreatedDate: instantAt(dispute, 'charge.created'),
      dueDate: instantAt(dispute, 'evidence_details.due_by'),
      pspStatus: neverSent(dispute, status) ? 'evidence_not_submitted_by_psp' : pspStatusOf(status),
      // A dispute does not contain the time of its status change; only events do.
      pspStatusChangeDate: null,
      lifecycleStage: lifecycleStageOf({
        status,
        caseType,
        appealed: asRecord(at(dispute, 'evidence.appeal')) !== null,
        amazonPayType: textAt(dispute, 'payment_method_details.amazon_pay.dispute_type'),
      }),
      transactionId: idAt(dispute, 'charge'),
      // Stripe has no ARN of a charge: network_transaction_id is another number.
      arn: null,
      externalTransactionIdentifier:
        textAt(dispute, 'charge.metadata.order_id', 500) ??
        idAt(dispute, 'payment_intent') ??
        idAt(dispute, 'charge.payment_intent'),
      merchantReferenceName: null,
      reasonCode: firstText(dispute, [
        'payment_method_details.card.network_reason_code',
        'network_reason_code',
        'payment_method_details.klarna.reason_code',
        'payment_method_details.paypal.reason_code',
        'reason',
      ]),
      reason: textAt(dispute, 'reason'),
      cardScheme: cardSchemeOf(
        firstText(dispute, [
          'payment_method_details.card.network',
          'payment_method_details.card.brand',
          'charge.payment_method_details.card.network',
          'charge.payment_method_details.card.brand',
        ]),
      ),
      paymentMethod: paymentMethodOf(
        firstText(dispute, ['payment_method_details.type', 'charge.payment_method_details.type']),
        textAt(dispute, 'charge.payment_method_details.card.wallet.type'),
        textAt(dispute, 'charge.payment_method_details.card.funding'),
      ),
      bin: textAt(dispute, 'charge.payment_method_details.card.iin'),
      cardLastFourDigits: textAt(dispute, 'charge.payment_method_details.card.last4'),
      billingCountry: textAt(dispute, 'charge.billing_details.address.country'),
      pspSequence: null,
    },
  }
}

function amountOf(dispute: unknown): { currency: string; amountMinor: bigint; amountExponent: number } {
  const currency = requiredText(dispute, 'currency').toUpperCase()
  if (!isCurrency(currency)) throw new Unmappable('currency is unknown')
  const amount = at(dispute, 'amount')
  if (!Number.isSafeInteger(amount) || (amount as number) < 0) {
    throw new Unmappable('amount is not a whole number of minor units')
  }
  return { currency, amountMinor: BigInt(amount as number), amountExponent: amountExponentOf(currency) }
}

/** Lost, with evidence that was staged at Stripe and never sent to the bank. */
function neverSent(dispute: unknown, status: string): boolean {
  const { has_evidence, submission_count } = at(dispute, 'evidence_details') as Record<string, unknown>
  return status === 'lost' && has_evidence === true && submission_count === 0
}

function anomaliesOf(dispute: unknown, status: string, caseType: string | null): string[] {
  const details = at(dispute, 'evidence_details') as Record<string, unknown>
  const sent = typeof details.submission_count === 'number' && details.submission_count > 0
  const found = [
    pspStatusOf(status) === 'unknown' && `unknown status ${status}`,
    caseType !== null && !CASE_TYPES.has(caseType) && `unknown case_type ${caseType}`,
    idAt(dispute, 'charge') === null && 'charge is missing',
    details.past_due === true && sent && 'evidence was submitted after the due date: delivery is not guaranteed',
  ]
  return found.filter((anomaly) => anomaly !== false)
}
