import { FACTS, type FactName, type PointSource } from './fact-catalogue.ts'
import { readDate } from './written-dates.ts'
import { readMoney } from './written-money.ts'

/** Facts about one refund or one shipment. Their data points have the same names. */
interface Group {
  id: FactName
  facts: readonly FactName[]
  /** The first source with one of these decides which refund or shipment it is. */
  decidedBy: readonly FactName[]
}

const REFUND: readonly FactName[] = ['refundId', 'refundArn', 'refundDate', 'refundAmount']
const GROUPS: readonly Group[] = [
  { id: 'refundId', facts: REFUND, decidedBy: REFUND },
  {
    id: 'shippingTrackingNumber',
    facts: ['shippingTrackingNumber', 'shippingCarrier'],
    decidedBy: ['shippingTrackingNumber'],
  },
]

export const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === false || (typeof value === 'string' && value.trim() === '')

/** In order of precedence for a fact: the PSP's own record comes first where it proves more than the client's word. */
export const inOrderFor = (fact: FactName, sources: readonly PointSource[]): readonly PointSource[] =>
  FACTS[fact].pspFirst ? [...sources].sort((a, b) => Number(b.source === 'psp') - Number(a.source === 'psp')) : sources

/** The sources, without facts about a refund or shipment other than that of the source that takes precedence. */
export const withoutOthers = (sources: readonly PointSource[]): readonly PointSource[] =>
  GROUPS.reduce(withoutOther, sources)

function withoutOther(sources: readonly PointSource[], { id, facts, decidedBy }: Group): readonly PointSource[] {
  const ordered = inOrderFor(id, sources)
  const first = ordered.find(({ points }) => decidedBy.some((fact) => !isEmpty(points[fact])))
  if (!first) return sources
  const known = pointsOf(facts, first)
  const others = new Set<PointSource>()
  for (const source of ordered.filter((one) => one !== first)) {
    const said = pointsOf(facts, source)
    if (isSame(id, known, said, source)) for (const [name, text] of said) known.set(name, known.get(name) ?? text)
    else others.add(source)
  }
  return sources.map((one) => (others.has(one) ? without(facts, one) : one))
}

/**
 * The id decides. Without one, the client completes what is known, such as the amount of a refund of which the PSP reports
 * the id alone; the PSP's record may be about an earlier shipment.
 */
function isSame(
  id: FactName,
  known: ReadonlyMap<string, string>,
  said: ReadonlyMap<string, string>,
  { source }: PointSource,
): boolean {
  const [own, other] = [known.get(id), said.get(id)]
  if (own !== undefined && other !== undefined) return own === other
  return source !== 'psp' && [...said].every(([name, text]) => isEqual(name as FactName, known.get(name) ?? text, text))
}

/** By what is written, not by how: `12.5 USD` and `12.50`, a day and a time of that day. */
function isEqual(fact: FactName, one: string, other: string): boolean {
  if (FACTS[fact].kind === 'money') {
    const currency = (text: string) => readMoney(text, null)?.currency
    const [a, b] = [readMoney(one, currency(other) ?? 'USD'), readMoney(other, currency(one) ?? 'USD')]
    if (a && b) return a.minor === b.minor && a.currency === b.currency
  }
  const [a, b] = FACTS[fact].kind === 'date' ? [readDate(one), readDate(other)] : []
  if (!a || !b) return one === other
  return a.instant === null || b.instant === null ? a.day === b.day : a.instant === b.instant
}

const pointsOf = (facts: readonly FactName[], { points }: PointSource) =>
  new Map(facts.flatMap((fact) => (isEmpty(points[fact]) ? [] : [[fact as string, written(points[fact])] as const])))

const written = (value: unknown) => (typeof value === 'string' ? value.trim() : JSON.stringify(value))

const without = (facts: readonly string[], source: PointSource): PointSource => ({
  ...source,
  points: Object.fromEntries(Object.entries(source.points).filter(([name]) => !facts.includes(name))),
})
