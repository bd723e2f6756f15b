import { z } from '@hono/zod-openapi'
import { ALERT_OUTCOMES, REFUND_STATES } from '../../../domain/alert.ts'
import { ALERT_PROVIDERS, CARD_SCHEMES, PAYMENT_METHODS, PSPS } from '../../../domain/chargeback.ts'
import { id, timestamp } from '../../http/shapes.ts'

const says = (description: string) => z.string().optional().openapi({ description })

export const provider = z.enum(ALERT_PROVIDERS).openapi({ description: 'Who raised the alert.' })

// A named schema: generators of clients call an unnamed enum of `Alert` AlertOutcome, which is the name of the request.
const outcome = z.enum(ALERT_OUTCOMES).openapi('AlertOutcomeCode', {
  description:
    'What became of the alert, as a word or as a code of the provider. `in_progress` and `shipper_contacted` may ' +
    'be replaced later; any other outcome is final.',
})

/** A client's report about an alert. */
export const reportFields = {
  refunded: z.enum(REFUND_STATES).optional().openapi({ description: 'Whether the transaction was refunded.' }),
  outcome: outcome.optional(),
}

export const alert = z
  .object({
    alertId: id.openapi({ description: 'Assigned by the service.' }),
    providerName: provider.optional(),
    providerAlertId: z.string().openapi({ description: 'Assigned by the source of the alert.' }),
    referenceAccountId: z.string().openapi({ description: 'The referenceId of the merchant.' }),
    integrationId: id.openapi({ description: 'Integration that is the source of the alert.' }),
    psp: z.enum(PSPS).openapi({ description: 'PSP in which the transaction was processed.' }),
    chargebackId: id.optional().openapi({
      description: 'The chargeback of lifecycle stage `alert` that the alert is, when the PSP gives it as one.',
    }),
    currency: says('ISO 4217 currency of the amount.'),
    amount: z.number().optional().openapi({ description: 'Amount of the alert, in units of the currency.' }),
    alertDate: timestamp.optional().openapi({ description: 'When the alert was raised.' }),
    transactionId: says('Transaction identifier set by the PSP.'),
    arn: says('Acquirer reference number set by the PSP.'),
    externalTransactionIdentifier: says('Transaction identifier.'),
    reasonCode: says('Reason code set by the card scheme.'),
    reason: says('Reason of the alert.'),
    fraudType: says('Kind of fraud, as the issuer calls it.'),
    cardScheme: says(`Card scheme of the cardholder: ${CARD_SCHEMES.join(', ')}.`),
    paymentMethod: says(`Payment method of the transaction: ${PAYMENT_METHODS.join(', ')}.`),
    bin: says('Bank identification number of the card.'),
    cardLastFourDigits: says('Last four digits of the card.'),
    receivedAt: timestamp.openapi({ description: 'When the service learnt of the alert.' }),
    ...reportFields,
    comments: says('Comments of the outcome that is in force.'),
    reportedAt: timestamp.optional().openapi({ description: 'When the outcome that is in force was recorded.' }),
  })
  .openapi('Alert')

export const exampleAlert = {
  alertId: '0198c5a4-7a3e-7d60-9a55-2f4b1f6f7d10',
  providerName: 'Ethoca',
  providerAlertId: 'A7P2XQ9M4K',
  referenceAccountId: 'demo-shop',
  integrationId: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10',
  psp: 'recoup_sandbox',
  currency: 'EUR',
  amount: 10.99,
  alertDate: '2026-01-31T09:30:00.000Z',
  transactionId: 'tx-1',
  cardScheme: 'mastercard',
  cardLastFourDigits: '4444',
  receivedAt: '2026-01-31T09:31:00.000Z',
  refunded: 'refunded',
  outcome: 'stopped',
  reportedAt: '2026-01-31T10:00:00.000Z',
}
