import { z } from '@hono/zod-openapi'
import type { readChargeback } from '../../../db/chargebacks/chargebacks.ts'
import {
  CARD_SCHEMES,
  LIFECYCLE_STAGES,
  PAYMENT_METHODS,
  PSP_STATUSES,
  PSPS,
  type RoiRecommendation,
  STATUSES,
} from '../../../domain/chargeback.ts'
import { minorToDecimal } from '../../../domain/money.ts'
import { ids, referenceAccountId, timestamp } from '../../http/shapes.ts'
import { withoutNulls } from '../../http/without-nulls.ts'

const says = (description: string) => z.string().optional().openapi({ description })
const when = (description: string) => timestamp.optional().openapi({ description })

export const chargeback = z
  .object({
    id: ids.chargeback,
    chargebackId: z.string().openapi({ description: 'Assigned by the PSP.' }),
    referenceAccountId,
    integrationId: says('Integration that is the source of the chargeback.'),
    psp: z.enum(PSPS).optional().openapi({ description: 'PSP in which the transaction was processed.' }),
    currency: says('ISO 4217 currency of the amount.'),
    amount: z.number().optional().openapi({ description: 'Amount charged back, in units of the currency.' }),
    postingDate: when('When the chargeback was posted.'),
    transactionCreatedDate: when('When the transaction was processed.'),
    dueDate: when('When the chargeback is due.'),
    pspStatusChangeDate: when('When the PSP status last changed.'),
    pspStatus: z.enum(PSP_STATUSES).optional().openapi({ description: 'Status in the PSP.' }),
    status: z.enum(STATUSES).optional().openapi({ description: 'Status in the service.' }),
    lifecycleStage: z.enum(LIFECYCLE_STAGES).optional().openapi({ description: 'How far the dispute has gone.' }),
    transactionId: says('Transaction identifier set by the PSP.'),
    arn: says('Acquirer reference number set by the PSP.'),
    externalTransactionIdentifier: says('Transaction identifier.'),
    merchantReferenceName: says('Identifier of the merchant in the PSP.'),
    reasonCode: says('Reason code set by the card scheme.'),
    reason: says('Reason of the chargeback.'),
    cardScheme: says(`Card scheme of the cardholder: ${CARD_SCHEMES.join(', ')}.`),
    enrichmentRatio: z.number().min(0).max(1).optional().openapi({ description: 'Share of the wanted data, 0 to 1.' }),
    winProbability: z.number().optional().openapi({ description: 'Win probability in percent.' }),
    roiRecommendation: z
      .enum(['Fight', 'Accept'])
      .optional()
      .openapi({ description: 'Whether an answer is expected to bring more than it costs. Advisory only.' }),
    bin: says('Bank identification number of the card.'),
    billingCountry: says('Billing country of the cardholder.'),
    isEnriched: z.boolean().optional().openapi({ description: 'Whether transaction data was joined.' }),
    paymentMethod: says(`Payment method of the transaction: ${PAYMENT_METHODS.join(', ')}.`),
    cardLastFourDigits: says('Last four digits of the card.'),
  })
  .openapi('Chargeback')

export const exampleChargeback = {
  id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
  chargebackId: 'du_1PgafTB7WZ01zgkW',
  referenceAccountId: 'demo-shop',
  integrationId: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10',
  psp: 'stripe',
  currency: 'USD',
  amount: 10.99,
  postingDate: '2026-01-31T09:30:00.000Z',
  dueDate: '2026-02-14T23:59:59.000Z',
  pspStatus: 'needs_response',
  status: 'waiting_for_data',
  lifecycleStage: 'chargeback',
  reasonCode: '10.4',
  reason: 'fraudulent',
  cardScheme: 'visa',
  enrichmentRatio: 0.42,
  winProbability: 61.5,
  roiRecommendation: 'Fight',
  isEnriched: true,
  paymentMethod: 'card',
  cardLastFourDigits: '4242',
}

type ChargebackRow = Awaited<ReturnType<typeof readChargeback>>

/** The row as clients see it; what is not known is left out. */
export function toChargeback(row: ChargebackRow): z.infer<typeof chargeback> {
  return withoutNulls({
    id: row.id,
    chargebackId: row.chargeback_id,
    referenceAccountId: row.reference_id,
    integrationId: row.integration_id,
    psp: row.psp as (typeof PSPS)[number],
    currency: row.currency,
    amount: Number(minorToDecimal(row.amount_minor, row.amount_exponent)),
    postingDate: time(row.posting_date),
    transactionCreatedDate: time(row.transaction_created_date),
    dueDate: time(row.due_date),
    pspStatusChangeDate: time(row.psp_status_change_date),
    pspStatus: row.psp_status as (typeof PSP_STATUSES)[number],
    status: row.status as (typeof STATUSES)[number],
    lifecycleStage: row.lifecycle_stage as (typeof LIFECYCLE_STAGES)[number],
    transactionId: row.transaction_id,
    arn: row.arn,
    externalTransactionIdentifier: row.external_transaction_identifier,
    merchantReferenceName: row.merchant_reference_name,
    reasonCode: row.reason_code,
    reason: row.reason,
    cardScheme: row.card_scheme,
    enrichmentRatio: Number(row.enrichment_ratio),
    winProbability: row.win_probability === null ? null : Number(row.win_probability),
    roiRecommendation: row.roi_recommendation as RoiRecommendation | null,
    bin: row.bin,
    billingCountry: row.billing_country,
    isEnriched: row.is_enriched,
    paymentMethod: row.payment_method,
    cardLastFourDigits: row.card_last_four_digits,
  })
}

const time = (date: Date | null) => date?.toISOString() ?? null
