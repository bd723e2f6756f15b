import { composeEvidence, type EvidenceInput } from '../../../../domain/evidence/compose.ts'
import { EXHIBIT_KINDS, type PointSource } from '../../../../domain/evidence/fact-catalogue.ts'
import type { Gathered } from '../../../../domain/evidence/gather-facts.ts'
import type { PlayId } from '../../../../domain/evidence/playbooks/playbook.ts'
import type { Claim } from '../../../../domain/evidence/plays.ts'

export const NOW = new Date('2026-04-10T12:00:00Z')

/** A claim of each play. */
export const CLAIMS: Readonly<Record<PlayId, Claim>> = {
  fraud_cnp: visa('10.4'),
  fraud_cp: visa('10.3'),
  not_received: visa('13.1'),
  not_described: visa('13.3'),
  recurring: visa('13.2'),
  credit: visa('13.6'),
  cancelled: visa('13.7'),
  duplicate: visa('12.6.1'),
  other_means: visa('12.6.2'),
  amount: visa('12.5'),
  authorization: visa('11.3'),
  compliance: visa('98'),
  consumer_general: { ...visa('4853'), cardScheme: 'mastercard' },
  general: { ...visa('general'), cardScheme: 'mastercard', reason: 'general' },
}

export function visa(reasonCode: string): Claim {
  return { cardScheme: 'visa', reasonCode, reason: null, amountMinor: 12_990n }
}

/** A chargeback's own fields. */
export const CHARGEBACK: PointSource = {
  source: 'chargeback',
  points: {
    ...{ chargebackId: 'dp_7', cardScheme: 'visa', currency: 'USD', amount: { amount: '129.9', currency: 'USD' } },
    ...{ postingDate: '2026-03-20T08:00:00Z', dueDate: '2026-04-20T23:59:59Z', transactionId: 'ch_7' },
    transactionCreatedDate: '2026-03-01T10:15:00.000Z',
  },
  at: '2026-03-20T08:05:00.000Z',
}

export const client = (points: Record<string, unknown>): PointSource => ({ source: 'client', points, at: null })
export const psp = (points: Record<string, unknown>): PointSource => ({ source: 'psp', points, at: null })
export const record = (points: Record<string, unknown>): PointSource => ({ source: 'record', points, at: null })

/** Data points that a client can send about a sale, without a contradiction. */
export const FULL = {
  ...{ orderId: 'A-1001', customerName: 'Ada Byron', transactionOrderEmail: 'ada@example.com' },
  ...{ transactionOrderIpAddress: '203.0.113.7', geographicalLocation: 'Leeds, GB', transactionOrderDeviceId: 'd-55' },
  ...{ deviceName: 'phone', transactionOrderUserAgent: 'Browser 1', transactionOrderSteamId: 'user-12' },
  ...{ transactionOrderItemsProductDescription: 'blue running shoes, size 42' },
  transactionCustomerDisplayedTransactionDescription: 'SHOES.EXAMPLE',
  transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
  ...{ shippingCarrier: 'DHL', shippingTrackingNumber: '00340434161094042557', shippingDate: '2026-03-03' },
  ...{ deliveryDate: '2026-03-06T11:42:00Z', deliverySignedBy: 'A. Byron', notReturned: true },
  ...{ accessActivityLog: '5 March 09:12 sign-in; 6 March 20:40 order page', downloadDate: '2026-03-01T10:20:00Z' },
  ...{ lastUseDate: '2026-03-15', serviceDate: '2026-03-05', avsResult: 'Y', cvvResult: 'M', threeDsResult: 'Y' },
  ...{ eci: '05', authorizationCode: '123456', refundPolicyDisclosure: '"Returns within 30 days." (checkout page)' },
  ...{ refundRefusalExplanation: 'The customer asked for a refund 60 days after the delivery.' },
  cancellationPolicyDisclosure: '"Cancel any time before the renewal." (checkout page)',
  cancellationRebuttal: 'The subscription was cancelled after the renewal of 1 March 2026.',
  ...{
    termsAcceptedDate: '2026-03-01T11:14:00+01:00',
    cancellationDate: '2026-03-02',
    renewalNoticeDate: '2026-02-20',
  },
  ...{ subscriptionId: 'sub_3', duplicateChargeId: 'ch_8', duplicateChargeDate: '2026-03-01T10:31:00Z' },
  descriptionRebuttal: 'The shoes have the colour and size that were shown.',
  ...{ duplicateChargeGoods: 'black socks', duplicateChargeOrderId: 'A-1002' },
  duplicateChargeExplanation: 'The customer ordered twice on the same day.',
  onlyPaymentStatement: 'The card payment is the only payment for the order.',
}

export const input = (change: Partial<EvidenceInput> = {}): EvidenceInput => ({
  claim: CLAIMS.not_received,
  sources: [client(FULL), CHARGEBACK],
  earlier: null,
  exhibits: EXHIBIT_KINDS,
  now: NOW,
  ...change,
})

/** Kept sentences by id. */
export function kept(change: Partial<EvidenceInput> = {}): Record<string, string> {
  const { statements } = composeEvidence(input(change))
  return Object.fromEntries(statements.flatMap(({ id, text }) => (text === undefined ? [] : [[id, text]])))
}

export const messages = ({ warnings }: Pick<Gathered, 'warnings'>) => warnings.map(({ message }) => message)
