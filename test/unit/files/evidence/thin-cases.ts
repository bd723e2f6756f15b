import type { PlayId } from '../../../../domain/evidence/playbooks/playbook.ts'
import { DELIVERED, FULL_PACKAGES, type PackageCase, POLICIES, TERMS } from './package-cases.ts'

const NAME = { transactionOrderItemsProductName: 'running shoes' }
const ARRIVED = {
  ...NAME,
  transactionShippingToFullShippingAddress: DELIVERED.transactionShippingToFullShippingAddress,
  ...{ shippingTrackingNumber: DELIVERED.shippingTrackingNumber, deliveryDate: DELIVERED.deliveryDate },
}
const RENEWED = { termsAcceptedDate: '2026-03-01', cancellationPolicyDisclosure: TERMS.subscriptions }
const ACCEPTED = { termsAcceptedDate: '2026-03-01', cancellationPolicyDisclosure: TERMS.cancellation }

const receipt = { name: 'receipt.pdf', kind: 'receipt' } as const
const terms = { name: 'terms.pdf', kind: 'terms' } as const
const delivery = { name: 'delivery.pdf', kind: 'delivery' } as const

/** The least that is worth sending: what the play requires, and one fact or file as proof. */
const THIN: Readonly<Record<PlayId, Omit<PackageCase, 'play' | 'reasonCode'>>> = {
  fraud_cnp: { points: { ...ARRIVED, transactionOrderIpAddress: '203.0.113.7' }, files: [delivery] },
  fraud_cp: { points: NAME, files: [{ name: 'slip.png', kind: 'receipt' }] },
  not_received: {
    points: ARRIVED,
    files: [{ name: 'parcel.jpg', kind: 'photo', caption: 'Parcel at the door, 6 March 2026, 11:42 UTC' }],
  },
  not_described: {
    points: { ...NAME, descriptionRebuttal: 'The shoes have the colour and size that the page showed.' },
    files: [{ name: 'checkout.png', kind: 'checkout' }],
  },
  recurring: {
    points: { ...RENEWED, cancellationDate: '2026-03-10' },
    files: [terms],
  },
  credit: {
    points: { ...POLICIES, refundRefusalExplanation: 'No refund is due: the customer has kept the shoes.' },
    files: [],
  },
  cancelled: {
    points: { ...ACCEPTED, serviceDate: '2026-03-05', cancellationDate: '2026-03-06' },
    files: [terms],
  },
  duplicate: {
    points: {
      transactionOrderItemsProductName: 'running shoes, blue, size 42',
      ...{ duplicateChargeId: 'ch_8', duplicateChargeGoods: 'running shoes, black, size 38' },
    },
    files: [receipt, { name: 'second-receipt.pdf', kind: 'receipt' }],
  },
  other_means: {
    points: { onlyPaymentStatement: 'No payment other than this one was received for the order.' },
    files: [receipt],
  },
  amount: { points: NAME, files: [receipt] },
  authorization: { points: NAME, reported: { authorizationCode: '123456' }, files: [] },
  compliance: { points: NAME, files: [] },
  consumer_general: { points: ARRIVED, files: [delivery] },
  general: { points: ARRIVED, files: [delivery] },
}

export function thinPackage(play: PlayId): PackageCase {
  const { reasonCode, scheme = 'visa' } = FULL_PACKAGES[play]
  return { play, reasonCode, scheme, ...THIN[play] }
}

/** A product name and nothing else, as most merchants begin. */
export const barePackage = (play: PlayId): PackageCase => ({
  ...thinPackage(play),
  points: NAME,
  reported: {},
  files: [],
})
