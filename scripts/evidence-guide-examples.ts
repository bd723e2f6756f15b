import type { ExhibitKind } from '../domain/evidence/fact-catalogue.ts'
import type { PlayId } from '../domain/evidence/playbooks/playbook.ts'

export interface Example {
  /** Body of `PATCH /chargebacks/{id}`. */
  points: Readonly<Record<string, string | boolean>>
  /** Kinds of files to upload. */
  files: readonly ExhibitKind[]
}

const GOODS = { transactionOrderItemsProductDescription: 'Blue running shoes, size 42' }
const ADDRESS = { transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB' }
const DELIVERED = { deliveryDate: '2026-03-06T11:42:00+00:00' }
const TERMS = { termsAcceptedDate: '2026-03-01T10:14:00+00:00' }

/** What answers a claim of each kind, with everything that is required; a test composes them. */
export const EXAMPLES: Readonly<Record<PlayId, Example | null>> = {
  fraud_cnp: {
    points: {
      ...GOODS,
      ...{ transactionOrderIpAddress: '203.0.113.7', transactionOrderSteamId: 'user-12' },
      ...{ ...ADDRESS, ...DELIVERED },
    },
    files: ['delivery'],
  },
  fraud_cp: { points: { ...GOODS, authorizationCode: '123456' }, files: ['receipt', 'signature'] },
  not_received: {
    points: {
      ...{ ...GOODS, ...ADDRESS, shippingCarrier: 'DHL', shippingTrackingNumber: '00340434161094042557' },
      ...DELIVERED,
    },
    files: ['delivery'],
  },
  not_described: {
    points: {
      ...GOODS,
      descriptionRebuttal: 'The customer says that the shoes are black. The photo shows the blue pair that was packed.',
      notReturned: true,
    },
    files: ['checkout', 'photo', 'communication'],
  },
  recurring: {
    points: {
      ...{ subscriptionId: 'sub_3', ...TERMS, renewalNoticeDate: '2026-02-20' },
      ...{ cancellationDate: '2026-03-10', lastUseDate: '2026-03-15T08:15:00+00:00' },
    },
    files: ['usage'],
  },
  credit: {
    points: { refundDate: '2026-03-04', refundAmount: '12.00 USD', refundId: 're_1' },
    files: ['refund'],
  },
  cancelled: {
    points: {
      cancellationPolicyDisclosure: '"Cancellation until 24 hours before the course." (checkout page)',
      ...{ ...TERMS, serviceDate: '2026-03-05T18:00:00+00:00' },
      cancellationRebuttal: 'The customer cancelled on 6 March 2026, one day after the course.',
    },
    files: ['checkout', 'communication'],
  },
  duplicate: {
    points: {
      ...{ ...GOODS, orderId: 'A-1001', duplicateChargeId: 'ch_8', duplicateChargeOrderId: 'A-1002' },
      duplicateChargeGoods: 'Black running shoes, size 38',
    },
    files: ['receipt'],
  },
  other_means: {
    points: { ...GOODS, onlyPaymentStatement: 'No payment other than this one was received for the order.' },
    files: ['receipt'],
  },
  amount: { points: { ...GOODS, ...TERMS }, files: ['receipt'] },
  authorization: { points: { ...GOODS, authorizationCode: '123456' }, files: ['receipt'] },
  compliance: null,
  consumer_general: { points: { ...GOODS, ...ADDRESS, ...DELIVERED }, files: ['receipt', 'communication'] },
  general: { points: { ...GOODS, ...ADDRESS, ...DELIVERED }, files: ['receipt', 'communication'] },
}
