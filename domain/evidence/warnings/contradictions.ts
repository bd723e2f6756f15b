import { normal } from '../../accounts/addresses.ts'
import { threeDsResultOf, threeDsResultOfEci } from '../check-results.ts'
import type { ExhibitKind, FactName, PointSource } from '../fact-catalogue.ts'
import type { Fact, Facts, Gathered, Warning } from '../gather-facts.ts'
import { isBefore, type WrittenDate } from '../written-dates.ts'
import type { WrittenMoney } from '../written-money.ts'

/** Facts about the dispute itself: a contradiction does not remove them if the PSP or the card scheme reported them. */
const OF_THE_CASE: readonly FactName[] = ['amount', 'postingDate', 'transactionCreatedDate', 'transactionId']

interface Rule {
  facts: readonly FactName[]
  /** `contradiction` by default. */
  code?: 'adverse'
  why: string
  contradicts(facts: Facts, sources: readonly PointSource[], exhibits: ReadonlySet<ExhibitKind>): boolean
}

const RULES: readonly Rule[] = [
  order('shippingDate', 'deliveryDate', 'The delivery is before the shipment.'),
  order('transactionCreatedDate', 'lastUseDate', 'The last use is before the purchase.'),
  order('transactionCreatedDate', 'downloadDate', 'The download is before the purchase.'),
  order('transactionCreatedDate', 'refundDate', 'The refund is before the purchase.'),
  {
    facts: ['refundAmount'],
    why: 'The refund is larger than the disputed amount.',
    contradicts: ({ refundAmount, amount }) => isMore(refundAmount, amount),
  },
  {
    // Nobody need be wrong: a capture may exceed its authorization or follow a later one, and exchange rates change.
    facts: ['authorizedAmount'],
    code: 'adverse',
    why: 'The disputed amount is larger than the authorized one.',
    contradicts: ({ authorizedAmount, amount }) => isMore(amount, authorizedAmount),
  },
  {
    facts: ['email'],
    why: 'The e-mail address of the order differs between you and the PSP.',
    contradicts: (_, sources) => {
      const [own] = addresses(sources.filter(({ source }) => source === 'client' || source === 'record'))
      const [reported] = addresses(sources.filter(({ source }) => source === 'psp'))
      return own !== undefined && reported !== undefined && own !== reported
    },
  },
  {
    facts: ['shipTo', 'zip'],
    why: 'The postal code is not in the delivery address.',
    contradicts: ({ shipTo, zip }) =>
      shipTo !== undefined && zip !== undefined && !folded(shipTo.value).includes(folded(shortZip(zip.value))),
  },
  {
    facts: ['signedDelivery', 'deliverySignedBy'],
    why: 'A signature is claimed without a file of kind signature or delivery.',
    contradicts: ({ signedDelivery, deliverySignedBy }, _, exhibits) =>
      (signedDelivery ?? deliverySignedBy) !== undefined && !exhibits.has('signature') && !exhibits.has('delivery'),
  },
  {
    facts: ['notReturned', 'returnedDate'],
    why: 'The goods are said to be both returned and not returned.',
    contradicts: ({ notReturned, returnedDate }) => notReturned !== undefined && returnedDate !== undefined,
  },
  same('orderId', 'duplicateChargeOrderId', 'Both payments are for the same order.'),
  same('transactionId', 'duplicateChargeId', 'The other payment is this payment.'),
  {
    facts: ['threeDsResult', 'eci'],
    why: 'The 3-D Secure result and the electronic commerce indicator differ.',
    contradicts: ({ threeDsResult, eci }) => {
      const [said, shown] = [threeDsResultOf(String(threeDsResult?.value)), threeDsResultOfEci(String(eci?.value))]
      return said !== null && shown !== null && said !== shown && !(said === 'failed' && shown === 'none')
    },
  },
]

/** Facts that don't help, by what the merchant should know. */
const ADVERSE: readonly [FactName, FactName | null, string][] = [
  ['returnedDate', null, 'The goods were returned: consider a refund.'],
  ['fraudWarning', null, 'The issuer has reported the payment as fraud.'],
  ['postingDate', 'deliveryDate', 'The delivery is after the dispute.'],
]

/** Removes facts that contradict each other: both of a pair, because it is not known which one is right. */
export function excludeContradictions(
  { facts, warnings, excluded }: Gathered,
  sources: readonly PointSource[],
  exhibits: ReadonlySet<ExhibitKind>,
): Gathered {
  const left = { ...facts }
  const gone = new Set(excluded)
  const found: Warning[] = []
  for (const rule of RULES) {
    // Rules look at what was given, so that the order of rules does not matter.
    if (!rule.contradicts(facts, sources, exhibits)) continue
    const named = rule.facts.filter((name) => facts[name] !== undefined)
    found.push({ code: rule.code ?? 'contradiction', facts: named, message: rule.why })
    for (const name of named) {
      if (OF_THE_CASE.includes(name) && ['psp', 'chargeback'].includes(facts[name]?.source ?? '')) continue
      gone.add(name)
      delete left[name]
    }
  }
  for (const [one, later, message] of ADVERSE) {
    const isSo = later === null ? facts[one] !== undefined : dateBefore(facts, one, later)
    if (isSo) found.push({ code: 'adverse', facts: [later ?? one], message })
  }
  return { facts: left, warnings: [...warnings, ...found], excluded: [...gone] }
}

/** The second date must not be before the first. */
function order(first: FactName, second: FactName, why: string): Rule {
  return { facts: [first, second], why, contradicts: (facts) => dateBefore(facts, second, first) }
}

/** Two facts about different things that must not be equal. */
function same(one: FactName, other: FactName, why: string): Rule {
  const contradicts = (facts: Facts) => facts[one] !== undefined && facts[one]?.value === facts[other]?.value
  return { facts: [one, other], why, contradicts }
}

function dateBefore(facts: Facts, one: FactName, other: FactName): boolean {
  const [a, b] = [facts[one]?.value, facts[other]?.value] as (WrittenDate | undefined)[]
  return a !== undefined && b !== undefined && isBefore(a, b)
}

const addresses = (sources: readonly PointSource[]) =>
  sources.flatMap(({ points: { transactionOrderEmail: address } }) =>
    typeof address === 'string' && address.trim() !== '' ? [normal(address.trim())] : [],
  )

/** Amounts of two currencies can't be compared. */
function isMore(one: Fact | undefined, other: Fact | undefined): boolean {
  const [a, b] = [one?.value, other?.value] as (WrittenMoney | undefined)[]
  if (!a || !b || a.currency !== b.currency) return false
  return a.minor * 10n ** BigInt(b.exponent) > b.minor * 10n ** BigInt(a.exponent)
}

/** An address often has five digits of a ZIP code of nine. */
const shortZip = (zip: unknown) => String(zip).replace(/^(\d{5})-?\d{4}$/, '$1')

const folded = (value: unknown) => String(value).toLowerCase().replaceAll(/[\s-]/g, '')
