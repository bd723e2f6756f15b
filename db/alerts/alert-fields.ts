import type { AlertOutcome, RefundState } from '../../domain/alert.ts'
import type { AlertProvider, Psp } from '../../domain/chargeback.ts'
import { minorToDecimal } from '../../domain/money.ts'
import { withoutNulls } from '../core/without-nulls.ts'
import type { AlertRecord } from './alerts.ts'

/** An alert in the fields of the interface; unknown values are omitted. */
export function alertFields(row: AlertRecord) {
  const { amount_minor: minor, amount_exponent: exponent } = row
  return {
    alertId: row.alert_id,
    providerAlertId: row.reference,
    referenceAccountId: row.reference_id,
    integrationId: row.integration_id,
    psp: row.psp as Psp,
    receivedAt: row.created_at.toISOString(),
    ...withoutNulls({
      providerName: row.provider_name as AlertProvider | null,
      chargebackId: row.chargeback_id,
      currency: row.currency,
      amount: minor === null || exponent === null ? null : Number(minorToDecimal(minor, exponent)),
      alertDate: row.alert_date?.toISOString() ?? null,
      transactionId: row.transaction_id,
      arn: row.arn,
      externalTransactionIdentifier: row.external_transaction_identifier,
      reasonCode: row.reason_code,
      reason: row.reason,
      fraudType: row.fraud_type,
      cardScheme: row.card_scheme,
      paymentMethod: row.payment_method,
      bin: row.bin,
      cardLastFourDigits: row.card_last_four_digits,
      refunded: row.refunded as RefundState | null,
      outcome: row.outcome as AlertOutcome | null,
      comments: row.comments,
      reportedAt: row.reported_at?.toISOString() ?? null,
    }),
  }
}
