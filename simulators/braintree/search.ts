import type { DisputeRecord, JsonObject } from '../engine/contract.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { malformedRequest } from './errors.ts'
import type { Parsed } from './xml-reader.ts'

type Matcher = (dispute: JsonObject, record: DisputeRecord) => boolean
type Criterion = { [key: string]: Parsed }

const TEXTS: Readonly<Record<string, string>> = {
  id: 'id',
  case_number: 'caseNumber',
  customer_id: 'customerId',
  reference_number: 'referenceNumber',
  transaction_id: 'transaction.id',
}
const LISTS: Readonly<Record<string, string>> = {
  status: 'status',
  kind: 'kind',
  reason: 'reason',
  reason_code: 'reasonCode',
  merchant_account_id: 'merchantAccountId',
  pre_dispute_program: 'preDisputeProgram',
  chargeback_protection_level: 'chargebackProtectionLevel',
  protection_level: 'protectionLevel',
  transaction_source: 'transactionSource',
}
const RANGES: Readonly<Record<string, string>> = {
  received_date: 'receivedDate',
  effective_date: 'statusHistory',
  reply_by_date: 'replyByDate',
  disbursement_date: 'statusHistory',
  amount_disputed: 'amountDisputed',
  amount_won: 'amountWon',
}

/** A predicate for all criteria. @throws BraintreeRefusal 422 for an unknown criterion */
export function matcherOf(engine: DisputeEngine, search: Parsed | undefined): (record: DisputeRecord) => boolean {
  const criteria = typeof search === 'object' && search !== null && !Array.isArray(search) ? search : {}
  const tests = Object.entries(criteria).map(([name, value]) => testOf(name, value))
  return (record) => {
    const dispute = readable(engine, record)
    return tests.every((test) => test(dispute, record))
  }
}

/** The searched fields, cached, because every page of a list reads all of them. */
const known = new WeakMap<DisputeRecord, { text: string | null; facts: JsonObject }>()
const FIELDS = [...new Set([...Object.values(TEXTS), ...Object.values(LISTS), ...Object.values(RANGES)])]

/** A malformed object is found by its arrival, like any other. */
function readable(engine: DisputeEngine, record: DisputeRecord): JsonObject {
  const ready = known.get(record)
  if (ready && ready.text === record.text) return ready.facts
  const object: unknown = engine.read(record)
  const dispute = typeof object === 'object' && object !== null && !Array.isArray(object) ? (object as JsonObject) : {}
  const facts: JsonObject = { transaction: dispute.transaction ?? null }
  for (const field of FIELDS) if (dispute[field] !== undefined) facts[field] = dispute[field]
  known.set(record, { text: record.text, facts })
  return facts
}

function testOf(name: string, value: Parsed): Matcher {
  const text = TEXTS[name]
  const list = LISTS[name]
  const range = RANGES[name]
  if (text !== undefined) return textTest(name, text, value)
  if (list !== undefined) return listTest(name, list, value)
  if (range !== undefined) return rangeTest(name, range, value)
  throw malformedRequest(`${name} is not a search criterion`)
}

function textTest(name: string, path: string, value: Parsed): Matcher {
  const tests = Object.entries(criterionOf(name, value)).map(([operator, wanted]) => {
    // Other SDKs send a missing value as an empty element.
    const text = String(wanted ?? '')
    if (operator === 'is') return (found: string) => found === text
    if (operator === 'is_not') return (found: string) => found !== text
    if (operator === 'starts_with') return (found: string) => found.startsWith(text)
    if (operator === 'ends_with') return (found: string) => found.endsWith(text)
    if (operator === 'contains') return (found: string) => found.includes(text)
    throw malformedRequest(`${name} has no ${operator}`)
  })
  return (dispute, record) => {
    const found = name === 'id' ? record.reference : String(at(dispute, path) ?? '')
    return tests.every((test) => test(found))
  }
}

function listTest(name: string, path: string, value: Parsed): Matcher {
  if (!Array.isArray(value)) throw malformedRequest(`${name} must be a list`)
  // The SDK for Java sends them in upper case.
  const wanted = value.map((item) => String(item).toLowerCase())
  return (dispute) => wanted.includes(String(at(dispute, path) ?? '').toLowerCase())
}

function rangeTest(name: string, path: string, value: Parsed): Matcher {
  const { min, max, is } = criterionOf(name, value)
  const bound = (raw: Parsed | undefined) => (raw === undefined || raw === '' || raw === null ? null : raw)
  const amounts = name.startsWith('amount')
  const read = amounts ? Number : dayOf
  const [least, most] = [bound(is) ?? bound(min), bound(is) ?? bound(max)].map((raw) =>
    raw === null ? null : read(String(raw)),
  )
  const within = (found: string | number) =>
    (least === null || least === undefined || found >= least) && (most === null || most === undefined || found <= most)
  return (dispute, record) =>
    valuesOf(name, path, dispute, record).some((found) => within(amounts ? Number(found) : found))
}

function valuesOf(name: string, path: string, dispute: JsonObject, record: DisputeRecord): string[] {
  if (path === 'statusHistory') {
    const field = name === 'effective_date' ? 'effectiveDate' : 'disbursementDate'
    const history = Array.isArray(dispute.statusHistory) ? dispute.statusHistory : []
    return history.map((entry) => String((entry as JsonObject | null)?.[field] ?? '')).filter((day) => day !== '')
  }
  const value = dispute[path]
  if (typeof value === 'string' && (path !== 'receivedDate' || /^\d{4}-/.test(value))) return [value]
  return path === 'receivedDate' ? [new Date(record.at * 1000).toISOString().slice(0, 10)] : []
}

/** MM/DD/YYYY or ISO 8601; truncated to the day. */
function dayOf(text: string): string {
  const [, month, date, year] = /^(\d\d)\/(\d\d)\/(\d{4})/.exec(text) ?? []
  if (year !== undefined) return `${year}-${month}-${date}`
  if (/^\d{4}-\d\d-\d\d/.test(text)) return text.slice(0, 10)
  throw malformedRequest('a date must be MM/DD/YYYY')
}

function criterionOf(name: string, value: Parsed): Criterion {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformedRequest(`${name} must be an object`)
}

function at(object: JsonObject, path: string): unknown {
  let value: unknown = object
  for (const key of path.split('.')) value = (value as JsonObject | null | undefined)?.[key]
  return value
}
