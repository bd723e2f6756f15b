import type { ChargebackColumns, StoredChargeback, TimelineEntry } from '../../../db/polling/ingest.ts'
import { minorToDecimal } from '../../../domain/money.ts'

/** What a reading changed of a chargeback, in the words of the timeline: fields by their names in the interface. */

type Fields = readonly (readonly [keyof StoredChargeback, string])[]

/** Each is an event of its own, and so is the amount. */
const MOVES: Fields = [
  ['status', 'status'],
  ['pspStatus', 'psp_status'],
  ['lifecycleStage', 'lifecycle_stage'],
  ['dueDate', 'due_date'],
]
/** Told when it comes or goes. */
const OFFERS: Fields = [['furtherAnswer', 'further_answer']]
/** Told together. A fact that the PSP's object lacks stays as it was. */
const DETAILS: Fields = [
  ['currency', 'currency'],
  ['postingDate', 'posting_date'],
  ['transactionCreatedDate', 'transaction_created_date'],
  ['cardScheme', 'card_scheme'],
  ['paymentMethod', 'payment_method'],
  ['bin', 'bin'],
  ['cardLastFourDigits', 'card_last_four_digits'],
  ['billingCountry', 'billing_country'],
]
/** Free text may name a person (db/erasure/erase-facts.ts), and nothing is ever taken out of a timeline: told by name only. */
const FREE_TEXT: Fields = [
  ['transactionId', 'transaction_id'],
  ['arn', 'arn'],
  ['externalTransactionIdentifier', 'external_transaction_identifier'],
  ['merchantReferenceName', 'merchant_reference_name'],
  ['reasonCode', 'reason_code'],
  ['reason', 'reason'],
]
const ASSESSMENT: Fields = [
  ['enrichmentRatio', 'enrichment_ratio'],
  ['winProbability', 'win_probability'],
  ['recommendation', 'roi_recommendation'],
]

/** Pure: the events of one reading, in the order in which they are to be read. */
export function tell(id: string, stored: StoredChargeback | null, columns: ChargebackColumns): TimelineEntry[] {
  const entry = { chargeback_id: id, source: String(columns.psp) }
  const reason = columns.status_reason
  if (!stored)
    return [
      {
        ...entry,
        what: 'ingested',
        before: null,
        after: { ...valuesOf(MOVES, columns), ...amountIn(columns), reason },
      },
    ]

  const changes = (fields: Fields) => {
    const [old, now] = [storedValuesOf(fields, stored), valuesOf(fields, columns)]
    return Object.keys(now).flatMap((name) =>
      old[name] === now[name] ? [] : [{ name, before: { [name]: old[name] }, after: { [name]: now[name] } }],
    )
  }
  const moved = changes([...MOVES, ...OFFERS]).map(({ name, before, after }) => {
    const more = name === 'status' ? { reason } : {}
    return { ...entry, what: `${name} changed`, before, after: { ...after, ...more } as Record<string, unknown> }
  })
  const [before, after] = [money(stored.amountMinor, stored.amountExponent, stored.currency), amountIn(columns)]
  if (before.amount !== after.amount) moved.push({ ...entry, what: 'amount changed', before, after })
  if (stored.status === columns.status && stored.statusReason !== reason)
    moved.push({ ...entry, what: 'reason changed', before: { reason: stored.statusReason }, after: { reason } })
  const kept = (fields: Fields) => fields.filter(([, column]) => columns[column] !== null)
  const texts = changes(kept(FREE_TEXT)).map((change) => change.name)
  const named = texts.length > 0 ? [{ before: {}, after: { fields: texts } }] : []
  return [
    ...moved,
    ...together(entry, 'details', [...changes(kept(DETAILS)), ...named]),
    ...together(entry, 'assessment', changes(ASSESSMENT)),
  ]
}

function together(
  entry: Pick<TimelineEntry, 'chargeback_id' | 'source'>,
  what: string,
  changes: { before: object; after: object }[],
): TimelineEntry[] {
  if (changes.length === 0) return []
  const [before, after] = [changes.map((one) => one.before), changes.map((one) => one.after)]
  return [
    { ...entry, what: `${what} changed`, before: Object.assign({}, ...before), after: Object.assign({}, ...after) },
  ]
}

/** As a chargeback is read: in units of its currency. */
const money = (minor: bigint, exponent: number, currency: string): Record<string, unknown> => ({
  amount: Number(minorToDecimal(minor, exponent)),
  currency,
})

const amountIn = (columns: ChargebackColumns) =>
  money(BigInt(String(columns.amount_minor)), Number(columns.amount_exponent), String(columns.currency))

/** As they are told: times as ISO 8601, integers beyond 2^53 as text. */
const shown = (name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' && name.endsWith('Date') ? new Date(value).toISOString() : value
}

const NAMES: Partial<Record<string, string>> = { recommendation: 'roiRecommendation' }

const valuesOf = (fields: Fields, columns: ChargebackColumns): Record<string, unknown> =>
  Object.fromEntries(fields.map(([name, column]) => [NAMES[name] ?? name, shown(name, columns[column])]))

const storedValuesOf = (fields: Fields, stored: StoredChargeback): Record<string, unknown> =>
  Object.fromEntries(fields.map(([name]) => [NAMES[name] ?? name, shown(name, stored[name])]))
