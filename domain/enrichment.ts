import type { ReasonGroup } from './chargeback.ts'

/**
 * Data points that help to contest a chargeback, by reason group, with weights of 1 to 3. Names are those of a
 * transaction record, or of the chargeback's own facts. The weights are estimates: fraud depends on who ordered and
 * from where, consumer disputes on what was sold and where it was sent, processing and authorization on what was
 * charged and when.
 */
const CATALOGUE: Record<ReasonGroup, Readonly<Record<string, number>>> = {
  fraud: {
    transactionOrderIpAddress: 3,
    transactionOrderDeviceId: 3,
    transactionOrderEmail: 2,
    transactionOrderSteamId: 2,
    transactionShippingToFullShippingAddress: 2,
    transactionOrderUserAgent: 1,
    transactionOrderPhone: 1,
    transactionCardFingerprint: 1,
    transactionOrderItemsProductName: 1,
    transactionCreatedDate: 1,
    bin: 1,
    cardLastFourDigits: 1,
    billingCountry: 1,
  },
  authorization: {
    transactionCreatedDate: 3,
    arn: 2,
    transactionStatus: 2,
    bin: 1,
    cardLastFourDigits: 1,
    transactionOrderEmail: 1,
  },
  processing_error: {
    transactionCreatedDate: 3,
    arn: 2,
    transactionStatus: 2,
    transactionCustomerDisplayedTransactionDescription: 1,
    transactionOrderItemsProductName: 1,
    cardLastFourDigits: 1,
    transactionOrderEmail: 1,
  },
  consumer_dispute: {
    transactionOrderItemsProductDescription: 3,
    transactionShippingToFullShippingAddress: 3,
    transactionOrderItemsProductName: 2,
    transactionOrderEmail: 2,
    transactionCreatedDate: 1,
    transactionShippingEmail: 1,
    transactionShippingPhone: 1,
    transactionOrderSteamId: 1,
    transactionCustomerDisplayedTransactionDescription: 1,
  },
  compliance: { transactionCreatedDate: 2, arn: 2, transactionStatus: 1, transactionOrderEmail: 1 },
  general: {
    transactionOrderEmail: 2,
    transactionOrderItemsProductDescription: 2,
    transactionCreatedDate: 1,
    transactionOrderItemsProductName: 1,
    transactionOrderIpAddress: 1,
    transactionShippingToFullShippingAddress: 1,
    cardLastFourDigits: 1,
  },
}

/** Equivalent names of a transaction record, by name in the catalogue. */
const SAME_AS: Readonly<Record<string, string>> = {
  transactionCardBin: 'bin',
  transactionCardLastFourDigits: 'cardLastFourDigits',
  transactionBillingAddressCountry: 'billingCountry',
  transactionArn: 'arn',
  transactionShippingToAddressLine1: 'transactionShippingToFullShippingAddress',
}

/** The chargeback's own facts under the names of a transaction record. */
const SETTABLE: Readonly<Record<string, string>> = {
  bin: 'transactionCardBin',
  cardLastFourDigits: 'transactionCardLastFourDigits',
  billingCountry: 'transactionBillingAddressCountry',
  arn: 'transactionArn',
}

const FACTS = ['bin', 'cardLastFourDigits', 'billingCountry', 'arn', 'transactionCreatedDate'] as const

/** Names of the chargeback's known facts that count as data points. */
export function presentFacts(facts: Partial<Record<(typeof FACTS)[number], unknown>>): string[] {
  return FACTS.filter((name) => facts[name] !== null && facts[name] !== undefined)
}

/**
 * Weight of the present data points divided by the weight of all that the reason group uses: 0 to 1, four decimals.
 * Other data points have no effect.
 */
export function enrichmentRatio(group: ReasonGroup, present: ReadonlySet<string> | readonly string[]): number {
  const known = canonical(present)
  let asked = 0
  let found = 0
  for (const [name, weight] of Object.entries(CATALOGUE[group])) {
    asked += weight
    if (known.has(name)) found += weight
  }
  return Math.round((found / asked) * 10_000) / 10_000
}

/** Missing data points of the reason group, most useful first, by the names that clients use. */
export function missingDataPoints(group: ReasonGroup, present: ReadonlySet<string> | readonly string[]): string[] {
  const known = canonical(present)
  return Object.entries(CATALOGUE[group])
    .filter(([name]) => !known.has(name))
    .sort(([a, weightA], [b, weightB]) => weightB - weightA || (a < b ? -1 : 1))
    .map(([name]) => SETTABLE[name] ?? name)
}

function canonical(present: ReadonlySet<string> | readonly string[]): Set<string> {
  return new Set([...present].map((name) => SAME_AS[name] ?? name))
}
