import type { EvidenceInput } from '../../../../domain/evidence/compose.ts'
import type { ExhibitKind, PointSource } from '../../../../domain/evidence/fact-catalogue.ts'
import type { Highlight } from '../../../../domain/evidence/file-metadata.ts'
import type { PlayId } from '../../../../domain/evidence/playbooks/playbook.ts'
import { CHARGEBACK, CLAIMS, client, psp } from '../../domain/evidence/evidence-input.ts'

/** A chargeback as a merchant would document it. */
export interface PackageCase {
  play: PlayId
  reasonCode: string
  /** Visa by default. */
  scheme?: 'visa' | 'mastercard'
  merchantName?: string
  points: Record<string, unknown>
  /** What the PSP itself reports. */
  reported?: Record<string, unknown>
  files: readonly CaseFile[]
  earlier?: EvidenceInput['earlier']
  earlierPayments?: readonly string[]
}

export interface CaseFile {
  /** In exhibits/. */
  name: string
  kind: ExhibitKind
  caption?: string
  highlights?: readonly Highlight[]
}

const ORDER = {
  ...{ orderId: 'A-1001', customerName: 'Ada Byron', transactionOrderEmail: 'ada@example.com' },
  transactionOrderItemsProductDescription: 'running shoes, blue, size 42',
  transactionCustomerDisplayedTransactionDescription: 'SHOES.EXAMPLE',
}
const LINES = [
  { name: 'Running shoes, blue, size 42', quantity: 1, amount: '119.90 USD' },
  { name: 'Shipping', quantity: 1, amount: '10.00 USD' },
]
export const DELIVERED = {
  transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
  ...{ shippingCarrier: 'DHL', shippingTrackingNumber: '00340434161094042557', shippingDate: '2026-03-03T16:05:00Z' },
  ...{ deliveryDate: '2026-03-06T11:42:00Z', deliverySignedBy: 'A. Byron' },
}
const ORIGIN = {
  ...{ transactionOrderIpAddress: '203.0.113.7', geographicalLocation: 'Leeds, GB', transactionOrderDeviceId: 'd-55' },
  ...{ deviceName: 'phone', transactionOrderUserAgent: 'Browser 1', transactionOrderSteamId: 'user-12' },
}
const CHECKS = { avsResult: 'Y', cvvResult: 'M', threeDsResult: 'Y', eci: '05', authorizationCode: '123456' }
export const POLICIES = {
  refundPolicyDisclosure: '"Returns within 30 days" (checkout page).',
  termsAcceptedDate: '2026-03-01T10:14:00Z',
}
/** Sections of terms.pdf. */
export const TERMS = {
  cancellation:
    '"An order may be cancelled free of charge until 24 hours before the appointment or the renewal. Later cancellations are not refunded." (terms of sale, section 4)',
  returns:
    '"Goods may be returned within 30 days of the delivery with the return label. Refunds are made within 14 days of the return." (terms of sale, section 5)',
  subscriptions:
    '"A plan renews each month until it is cancelled in the account. A renewal is announced 9 days before it." (terms of sale, section 6)',
}
const PLAN = {
  ...{ customerName: 'Ada Byron', transactionOrderEmail: 'ada@example.com', subscriptionId: 'sub_3' },
  transactionOrderItemsProductDescription: 'music plan, March 2026',
  transactionCustomerDisplayedTransactionDescription: 'STREAMS.EXAMPLE',
  ...{ transactionOrderIpAddress: '203.0.113.7', transactionOrderDeviceId: 'd-55', deviceName: 'phone' },
  ...{ transactionOrderSteamId: 'user-12', lastUseDate: '2026-03-15T07:15:00Z' },
}
const THANKS = {
  ...{ sent: '2026-03-08T09:30:00Z', from: 'Ada Byron <ada@example.com>', subject: 'My order A-1001' },
  body: 'The shoes came on Friday, thank you. They are a little narrow. May I still exchange them for size 43?',
  caption: 'The customer confirms that the shoes arrived.',
}

/** The shoes are narrow: the answer is an exchange. */
const EXCHANGE = [
  { ...THANKS, caption: 'The customer finds the shoes narrow, and asks for another size.' },
  {
    ...{ sent: '2026-03-08T15:10:00Z', from: 'Shoes Example Ltd', subject: 'Re: My order A-1001' },
    body: 'Of course. The return label for the exchange is attached, and size 43 leaves the day your parcel arrives.',
  },
]

const receipt: CaseFile = { name: 'receipt.pdf', kind: 'receipt', caption: 'Order confirmation A-1001' }
const delivery: CaseFile = {
  ...{ name: 'delivery.pdf', kind: 'delivery', caption: 'Proof of delivery of the carrier' },
  highlights: [{ page: 1, x: 0.08, y: 0.256, w: 0.84, h: 0.05 }],
}
const mail: CaseFile = { name: 'mail.png', kind: 'communication', caption: 'E-mail of 8 March 2026 and the reply' }
const checkout: CaseFile = { name: 'checkout.png', kind: 'checkout', caption: 'Page on which the order was placed' }
const terms: CaseFile = {
  ...{ name: 'terms.pdf', kind: 'terms', caption: 'Terms of sale' },
  highlights: [{ page: 1, x: 0.1, y: 0.275, w: 0.8, h: 0.068 }],
}
const log: CaseFile = { name: 'access-log.pdf', kind: 'usage', caption: 'Access log of the account user-12' }

/** With the data that a careful merchant has. */
export const FULL_PACKAGES: Readonly<Record<PlayId, PackageCase>> = {
  fraud_cnp: {
    ...{
      play: 'fraud_cnp',
      reasonCode: '10.4',
      points: { ...ORDER, ...DELIVERED, ...ORIGIN, billingAddress: '12 Mill Lane, Leeds LS1 4DY, GB' },
    },
    reported: CHECKS,
    files: [
      receipt,
      delivery,
      {
        ...{ name: 'order-log.pdf', kind: 'usage' },
        caption: 'Account user-12: the order, and the same IP address and device after the delivery',
      },
    ],
    earlier: {
      dates: ['3 October 2025', '20 October 2025'],
      ids: ['ch_2', 'ch_4'],
      matched: ['transactionOrderIpAddress', 'transactionShippingToFullShippingAddress', 'transactionOrderDeviceId'],
    },
  },
  fraud_cp: {
    ...{
      play: 'fraud_cp',
      reasonCode: '10.3',
      points: { ...ORDER, orderId: undefined, transactionOrderItemsProductDescription: 'running shoes' },
    },
    reported: { authorizationCode: '123456', cardEntry: 'chip' },
    files: [
      { name: 'slip.png', kind: 'receipt', caption: 'Slip of the terminal: chip read, signed' },
      { name: 'signature.png', kind: 'signature', caption: 'Signature on the slip' },
    ],
  },
  not_received: {
    ...{ play: 'not_received', reasonCode: '13.1' },
    points: { ...ORDER, ...DELIVERED, customerCommunication: [THANKS] },
    files: [receipt, delivery, mail],
  },
  not_described: {
    ...{ play: 'not_described', reasonCode: '13.3' },
    points: {
      ...{ ...ORDER, ...DELIVERED, ...POLICIES, notReturned: true, customerCommunication: EXCHANGE },
      descriptionRebuttal:
        'The shoes have the colour, size and narrow fit that the page showed before the order, and an exchange was offered on 8 March 2026.',
    },
    files: [receipt, delivery, { ...checkout, caption: 'Description of the shoes before the order' }],
  },
  recurring: {
    ...{ play: 'recurring', reasonCode: '13.2', merchantName: 'Streams Example Ltd' },
    points: {
      ...PLAN,
      ...{ termsAcceptedDate: '2025-11-01T10:14:00Z', renewalNoticeDate: '2026-02-20', cancellationDate: '2026-03-10' },
      cancellationRebuttal: 'The cancellation of 10 March 2026 ends the plan with the month that was paid and used.',
      cancellationPolicyDisclosure: TERMS.subscriptions,
    },
    earlierPayments: ['1 November 2025', '1 December 2025', '1 January 2026', '1 February 2026'],
    // The section that the statement quotes.
    files: [log, { ...terms, highlights: [{ page: 1, x: 0.1, y: 0.412, w: 0.8, h: 0.06 }] }],
  },
  credit: {
    ...{ play: 'credit', reasonCode: '13.6', points: ORDER },
    reported: {
      refundId: 're_1',
      refundDate: '2026-03-04',
      refundAmount: '129.90 USD',
      refundArn: '74027986064000000000017',
    },
    files: [{ name: 'refund.pdf', kind: 'refund', caption: 'Refund at the payment provider' }, receipt],
  },
  cancelled: {
    ...{ play: 'cancelled', reasonCode: '13.7', merchantName: 'Fitness Example Ltd' },
    points: {
      ...ORDER,
      ...{ termsAcceptedDate: '2026-03-01T10:14:00Z', cancellationPolicyDisclosure: TERMS.cancellation },
      transactionOrderItemsProductDescription: 'course of 5 March 2026, 18:00',
      transactionCustomerDisplayedTransactionDescription: 'FITNESS.EXAMPLE',
      cancellationRebuttal: 'The customer cancelled on 6 March 2026, one day after the course.',
      ...{ serviceDate: '2026-03-05T18:00:00Z', cancellationDate: '2026-03-06' },
    },
    files: [
      terms,
      { name: 'cancellation.png', kind: 'communication', caption: 'E-mail of the cancellation, 6 March 2026' },
    ],
  },
  duplicate: {
    ...{ play: 'duplicate', reasonCode: '12.6.1' },
    points: {
      ...{ ...ORDER, ...DELIVERED, duplicateChargeId: 'ch_8', duplicateChargeDate: '2026-03-01T10:31:00Z' },
      ...{ duplicateChargeAmount: '129.90 USD', duplicateChargeTrackingNumber: '00340434161094042564' },
      ...{ duplicateChargeGoods: 'running shoes, black, size 38', duplicateChargeOrderId: 'A-1002' },
      duplicateChargeExplanation: 'The customer ordered two pairs in two orders, 16 minutes apart.',
    },
    files: [receipt, { name: 'second-receipt.pdf', kind: 'receipt', caption: 'Order confirmation A-1002' }, delivery],
  },
  other_means: {
    ...{ play: 'other_means', reasonCode: '12.6.2' },
    points: { ...ORDER, onlyPaymentStatement: 'No payment other than this one was received for the order A-1001.' },
    files: [receipt],
  },
  amount: {
    ...{
      play: 'amount',
      reasonCode: '12.5',
      points: { ...ORDER, termsAcceptedDate: POLICIES.termsAcceptedDate, orderItems: LINES },
    },
    files: [{ ...receipt, highlights: [{ page: 1, x: 0.06, y: 0.368, w: 0.88, h: 0.03 }] }, checkout],
  },
  authorization: {
    ...{ play: 'authorization', reasonCode: '11.3', points: ORDER, reported: CHECKS },
    files: [receipt],
  },
  compliance: { play: 'compliance', reasonCode: '98', points: ORDER, files: [receipt] },
  consumer_general: {
    ...{ play: 'consumer_general', reasonCode: '4853', scheme: 'mastercard' },
    points: { ...ORDER, ...DELIVERED, ...POLICIES, customerCommunication: [THANKS] },
    files: [delivery, mail],
  },
  general: {
    ...{ play: 'general', reasonCode: '4999', scheme: 'mastercard' },
    points: {
      ...{ ...ORDER, ...DELIVERED },
      orderItems: LINES,
    },
    files: [delivery, mail],
  },
}

/** No refund is due, and why. */
export const REFUSED_REFUND: PackageCase = {
  ...{ play: 'credit', reasonCode: '13.6' },
  points: {
    ...{ ...ORDER, ...DELIVERED, ...POLICIES, notReturned: true, refundPolicyDisclosure: TERMS.returns },
    refundRefusalExplanation:
      'No refund is due: the customer asked for one on 14 March 2026 but has not sent the shoes back, and a refund follows the return.',
  },
  files: [{ ...terms, highlights: [{ page: 1, x: 0.1, y: 0.343, w: 0.8, h: 0.06 }] }, checkout, receipt, delivery],
}

export const sourcesOf = ({ points, reported, reasonCode, scheme = 'visa' }: PackageCase): PointSource[] => [
  client(points),
  ...(reported ? [psp(reported)] : []),
  { ...CHARGEBACK, points: { ...CHARGEBACK.points, reasonCode, cardLastFourDigits: '4242', cardScheme: scheme } },
]

export const claimOf = ({ play }: PackageCase) => CLAIMS[play]
