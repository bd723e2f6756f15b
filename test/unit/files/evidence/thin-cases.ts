import type { PlayId } from '../../../../domain/evidence/playbooks/playbook.ts'
import { DELIVERED, FULL_PACKAGES, type PackageCase, POLICIES, TERMS } from './package-cases.ts'

const NAME = { transactionOrderItemsProductName: 'running shoes' }
const ARRIVED = {
  ...NAME,
  transactionShippingToFullShippingAddress: DELIVERED.transactionShippingToFullShippingAddress,
  ...{ shippingTrackingNumber: DELIVERED.shippingTrackingNumber, deliveryDate: DELIVERED.deliveryDate },
}
const ACCEPTED = { termsAcceptedDate: '2026-03-01', cancellationPolicyDisclosure: TERMS.cancellation }

/** With what the play requires, and nothing else. */
const THIN: Readonly<Record<PlayId, Omit<PackageCase, 'play' | 'reasonCode'>>> = {
  fraud_cnp: { points: { ...NAME, transactionOrderIpAddress: '203.0.113.7' }, files: [] },
  fraud_cp: { points: NAME, files: [{ name: 'slip.png', kind: 'receipt' }] },
  not_received: { points: ARRIVED, files: [{ name: 'parcel.jpg', kind: 'photo', caption: 'Parcel at the door' }] },
  not_described: {
    points: { ...NAME, descriptionRebuttal: 'The shoes have the colour and size of the order.' },
    files: [],
  },
  recurring: {
    points: { ...ACCEPTED, cancellationRebuttal: 'The plan was cancelled on 10 March 2026, after its renewal.' },
    files: [],
  },
  credit: {
    points: { ...POLICIES, refundRefusalExplanation: 'No refund is due: the customer has kept the shoes.' },
    files: [],
  },
  cancelled: { points: ACCEPTED, files: [] },
  duplicate: {
    points: { ...NAME, duplicateChargeId: 'ch_8', duplicateChargeGoods: 'black socks' },
    files: [],
  },
  other_means: {
    points: { onlyPaymentStatement: 'No payment other than this one was received for the order.' },
    files: [{ name: 'receipt.pdf', kind: 'receipt' }],
  },
  amount: { points: NAME, files: [{ name: 'receipt.pdf', kind: 'receipt' }] },
  authorization: { points: NAME, reported: { authorizationCode: '123456' }, files: [] },
  compliance: { points: NAME, files: [] },
  consumer_general: { points: ARRIVED, files: [] },
  general: { points: ARRIVED, files: [] },
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
