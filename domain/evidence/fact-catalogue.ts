/**
 * Where a fact comes from: the client's data points (`PATCH /chargebacks/{id}`), a record of `POST /transactions`, the PSP's
 * transaction, the chargeback's own fields, or other facts.
 */
export type FactSource = 'client' | 'record' | 'psp' | 'chargeback' | 'derived'

/** Data of one source. */
export interface PointSource {
  source: Exclude<FactSource, 'derived'>
  points: Readonly<Record<string, unknown>>
  at: string | null
}

/**
 * Facts that a sentence to an issuer may use. `names` are the data points that give the fact, best first: those of
 * operations 1 and 4, and the chargeback's own fields. A fact without names is derived from others.
 */
interface Definition {
  /** `id`: an identifier, never shortened. `check`: a check's result. `flag`: a client's claim. The last three are tables. */
  kind: 'text' | 'id' | 'date' | 'money' | 'flag' | 'check' | 'list' | 'items' | 'messages' | 'events'
  names?: readonly string[]
  /** Whether it may identify the customer. */
  personal?: true
  /** The PSP's own record beats the client's word. */
  pspFirst?: true
  /** May lie in the future. */
  future?: true
  /** Of a derived fact: the data points that it follows from. */
  from?: readonly string[]
}

const text = (...names: string[]) => ({ kind: 'text', names }) as const
const person = (...names: string[]) => ({ kind: 'text', names, personal: true }) as const
const id = (...names: string[]) => ({ kind: 'id', names }) as const
const date = (...names: string[]) => ({ kind: 'date', names }) as const
const flag = (...names: string[]) => ({ kind: 'flag', names }) as const
const proven = (kind: 'id' | 'check' | 'date' | 'money', name: string) =>
  ({ kind, names: [name], pspFirst: true }) as const
const derived = (kind: 'flag' | 'list' | 'text' | 'date' | 'money', ...from: string[]) => ({ kind, from }) as const

const DEFINITIONS = {
  // The case
  chargebackId: id('chargebackId'),
  reasonCode: text('reasonCode'),
  reason: text('reason'),
  cardScheme: text('cardScheme', 'transactionCardScheme'),
  amount: { kind: 'money', names: ['amount'] },
  postingDate: date('postingDate'),
  dueDate: { ...date('dueDate'), future: true },
  transactionId: id('transactionId'),
  arn: id('transactionArn', 'arn'),
  transactionCreatedDate: date('transactionCreatedDate'),
  cardLastFourDigits: id('transactionCardLastFourDigits', 'cardLastFourDigits'),
  orderId: id('orderId'),
  descriptor: text('transactionCustomerDisplayedTransactionDescription'),
  // The customer
  customerName: person('customerName'),
  email: person('transactionOrderEmail', 'transactionShippingEmail'),
  phone: person('transactionOrderPhone', 'transactionShippingPhone'),
  ip: person('transactionOrderIpAddress'),
  location: person('geographicalLocation'),
  device: person('transactionOrderDeviceId'),
  deviceName: text('deviceName'),
  agent: person('transactionOrderUserAgent'),
  account: person('transactionOrderSteamId'),
  // What was sold, and where it went
  goods: text('transactionOrderItemsProductDescription', 'transactionOrderItemsProductName'),
  shipTo: person('transactionShippingToFullShippingAddress'),
  zip: person('transactionShippingToZipCode'),
  billingAddress: person('billingAddress'),
  shippingCarrier: text('shippingCarrier'),
  shippingTrackingNumber: { ...id('shippingTrackingNumber'), personal: true },
  shippingDate: date('shippingDate'),
  deliveryDate: date('deliveryDate'),
  deliverySignedBy: person('deliverySignedBy'),
  expectedDeliveryDate: { ...date('expectedDeliveryDate'), future: true },
  signedDelivery: flag('signedDelivery'),
  notReturned: flag('notReturned'),
  returnedDate: date('returnedDate'),
  // How it was used
  accessActivityLog: person('accessActivityLog'),
  downloadDate: date('downloadDate'),
  lastUseDate: date('lastUseDate'),
  serviceDate: date('serviceDate'),
  // Checks
  avsResult: proven('check', 'avsResult'),
  cvvResult: proven('check', 'cvvResult'),
  threeDsResult: proven('check', 'threeDsResult'),
  eci: proven('id', 'eci'),
  authorizationCode: proven('id', 'authorizationCode'),
  authorizedAmount: proven('money', 'authorizedAmount'),
  cardEntry: proven('check', 'cardEntry'),
  fraudWarning: text('transactionEarlyFraudWarningFraudType'),
  // Refunds, terms, subscriptions, descriptions, duplicates
  refundId: proven('id', 'refundId'),
  refundDate: proven('date', 'refundDate'),
  refundAmount: proven('money', 'refundAmount'),
  refundArn: proven('id', 'refundArn'),
  refundPolicyDisclosure: text('refundPolicyDisclosure'),
  refundRefusalExplanation: text('refundRefusalExplanation'),
  cancellationPolicyDisclosure: text('cancellationPolicyDisclosure'),
  cancellationRebuttal: text('cancellationRebuttal'),
  termsAcceptedDate: date('termsAcceptedDate'),
  cancellationDate: date('cancellationDate'),
  renewalNoticeDate: date('renewalNoticeDate'),
  subscriptionId: id('subscriptionId'),
  descriptionRebuttal: text('descriptionRebuttal'),
  duplicateChargeId: id('duplicateChargeId'),
  duplicateChargeDate: date('duplicateChargeDate'),
  duplicateChargeGoods: text('duplicateChargeGoods'),
  duplicateChargeOrderId: id('duplicateChargeOrderId'),
  duplicateChargeAmount: { kind: 'money', names: ['duplicateChargeAmount'] },
  duplicateChargeTrackingNumber: { ...id('duplicateChargeTrackingNumber'), personal: true },
  duplicateChargeExplanation: text('duplicateChargeExplanation'),
  onlyPaymentStatement: text('onlyPaymentStatement'),
  customerWithdrewDate: date('customerWithdrewDate'),
  // Tables
  orderItems: { kind: 'items', names: ['orderItems'] },
  customerCommunication: { kind: 'messages', names: ['customerCommunication'], personal: true },
  timeline: { kind: 'events', names: ['timeline'], personal: true },
  // Derived
  goodsDescribed: derived('flag', 'transactionOrderItemsProductDescription'),
  addressMatched: derived('flag', 'avsResult'),
  securityCodeMatched: derived('flag', 'cvvResult'),
  confirmedAddress: derived('flag', 'avsResult', 'billingAddress', 'transactionShippingToFullShippingAddress'),
  cardRead: derived('text', 'cardEntry'),
  origin: {
    ...derived('list', 'transactionOrderIpAddress', 'transactionOrderDeviceId', 'transactionOrderSteamId'),
    personal: true,
  },
  authenticated: derived('flag', 'threeDsResult'),
  authenticationAttempted: derived('flag', 'threeDsResult'),
  refundedBeforeDispute: derived('flag', 'refundDate'),
  orderTotal: derived('money', 'orderItems'),
  deliveryNotDue: derived('flag', 'expectedDeliveryDate'),
  activityEntries: { ...derived('text', 'accessActivityLog'), personal: true },
  paidBeforeCancellation: derived('flag', 'cancellationDate'),
  servedBeforeCancellation: derived('flag', 'cancellationDate', 'serviceDate'),
  trialNotice: derived('flag', 'renewalNoticeDate'),
  usedAfterCancellation: derived('flag', 'cancellationDate', 'lastUseDate'),
  earlierPurchaseDates: derived('list', 'two earlier transactions'),
  sharedIdentifiers: derived('list', 'two earlier transactions'),
  earlierPurchaseIds: derived('list', 'two earlier transactions'),
  earlierPurchaseId: derived('text', 'two earlier transactions'),
  earlierPurchaseArn: derived('text', 'two earlier transactions'),
  earlierPurchaseDate: derived('date', 'two earlier transactions'),
  earlierPurchaseIp: { ...derived('text', 'two earlier transactions'), personal: true },
  earlierPurchaseEmail: { ...derived('text', 'two earlier transactions'), personal: true },
  earlierPurchaseAddress: { ...derived('text', 'two earlier transactions'), personal: true },
  earlierPayments: derived('list', 'earlier transactions'),
  withdrawalMessage: { ...derived('text', 'customerWithdrewDate', 'customerCommunication'), personal: true },
  withdrawalTranslation: { ...derived('text', 'customerWithdrewDate', 'customerCommunication'), personal: true },
  contactAfterDelivery: derived('flag', 'customerCommunication'),
  messageCaption: { ...derived('text', 'customerCommunication'), personal: true },
  captionedMessageDate: derived('date', 'customerCommunication'),
} as const satisfies Record<string, Definition>

export type FactName = keyof typeof DEFINITIONS

export const FACTS: Readonly<Record<FactName, Definition>> = DEFINITIONS

export const FACT_NAMES = Object.keys(DEFINITIONS) as FactName[]

export const isFactName = (name: string): name is FactName => Object.hasOwn(DEFINITIONS, name)

/** Kinds of uploaded files. */
export const EXHIBIT_KINDS = [
  ...(['receipt', 'delivery', 'signature', 'communication', 'policy', 'terms', 'checkout'] as const),
  ...(['usage', 'refund', 'contract', 'photo', 'other'] as const),
] as const
export type ExhibitKind = (typeof EXHIBIT_KINDS)[number]

/** What a client sends so that the fact is there, by the names of operations 1 and 4. */
export function settableNames(fact: FactName): readonly string[] {
  const { names = [], from } = FACTS[fact]
  return from ?? names.slice(0, 1)
}
