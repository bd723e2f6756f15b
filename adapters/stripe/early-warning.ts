import type { AlertTranslation, RawObject } from '../contract.ts'
import { at, objectOf, requiredText, textAt, Unmappable } from '../shared/facts.ts'
import { idAt, instantAt } from './facts.ts'
import { cardSchemeOf, paymentMethodOf } from './vocabulary.ts'

/**
 * An early fraud warning of Stripe Radar as an alert: the issuer's report (TC40, SAFE) about a charge. Null for any
 * other object. It has no amount, and only the id of the charge unless that is expanded.
 * @see https://docs.stripe.com/api/radar/early_fraud_warnings/object
 */
export function toEarlyWarning(raw: RawObject): AlertTranslation | null {
  try {
    const warning = objectOf(raw.text)
    return warning.object === 'radar.early_fraud_warning' ? { kind: 'alert', facts: factsOf(warning) } : null
  } catch (error) {
    if (!(error instanceof Unmappable)) throw error
    return { kind: 'unmappable', reason: error.message }
  }
}

function factsOf(warning: Record<string, unknown>) {
  const card = 'charge.payment_method_details.card'
  const transactionId = idAt(warning, 'charge')
  if (transactionId === null) throw new Unmappable('charge is missing')
  return {
    reference: requiredText(warning, 'id'),
    psp: 'stripe' as const,
    providerName: null,
    money: null,
    alertDate: instantAt(warning, 'created'),
    transactionId,
    arn: null,
    externalTransactionIdentifier: textAt(warning, 'charge.metadata.order_id', 500) ?? idAt(warning, 'payment_intent'),
    reasonCode: null,
    reason: null,
    fraudType: textAt(warning, 'fraud_type'),
    cardScheme: cardSchemeOf(textAt(warning, `${card}.network`) ?? textAt(warning, `${card}.brand`)),
    paymentMethod: paymentMethodOf(
      textAt(warning, 'charge.payment_method_details.type'),
      textAt(warning, `${card}.wallet.type`),
      textAt(warning, `${card}.funding`),
    ),
    bin: digitsAt(warning, `${card}.iin`, /^(\d{6}|\d{8})$/),
    cardLastFourDigits: digitsAt(warning, `${card}.last4`, /^\d{4}$/),
  }
}

function digitsAt(root: unknown, path: string, pattern: RegExp): string | null {
  const value = at(root, path)
  return typeof value === 'string' && pattern.test(value) ? value : null
}
