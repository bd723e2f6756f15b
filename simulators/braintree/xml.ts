import type { Json, JsonObject } from '../engine/contract.ts'

/**
 * Objects in the SDK's keys as Braintree's XML, so that the SDKs of all languages can read it: no `nil` next to a type,
 * no fractions of a second, no CDATA.
 */

const TYPES: Readonly<Record<string, string>> = {
  receivedDate: 'date',
  replyByDate: 'date',
  dateOpened: 'date',
  dateWon: 'date',
  effectiveDate: 'date',
  disbursementDate: 'date',
  sentToProcessorAt: 'date',
  createdAt: 'datetime',
  updatedAt: 'datetime',
  timestamp: 'datetime',
  sentAt: 'datetime',
  expiresAt: 'datetime',
  remainingFileEvidenceStorage: 'integer',
  sequenceNumber: 'integer',
  size: 'integer',
  currentPageNumber: 'integer',
  pageSize: 'integer',
  totalItems: 'integer',
}

/** Element of a list whose name differs from the list's. */
const ITEMS: Readonly<Record<string, string>> = {
  disputes: 'dispute',
  refundIds: 'item',
  shipments: 'shipment',
  merchantAccounts: 'merchant-account',
  authorizationAdjustments: 'authorization-adjustment',
}

const DATED = { date: /^\d{4}-\d\d-\d\d$/, datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ }

export function element(key: string, value: Json): string {
  const name = kebab(key)
  if (value === null) return `<${name} nil="true"/>`
  if (Array.isArray(value)) {
    const item = ITEMS[key] ?? name
    return `<${name} type="array">${value.map((entry) => element(item, entry)).join('')}</${name}>`
  }
  if (typeof value === 'object') return `<${name}>${childrenOf(value)}</${name}>`
  if (typeof value === 'boolean') return `<${name} type="boolean">${value}</${name}>`
  if (typeof value === 'number' && Number.isInteger(value)) return `<${name} type="integer">${value}</${name}>`
  const text = String(value)
  const type = TYPES[key]
  // An added malformed value is shown unchanged, without a type.
  const typed = (type === 'date' && DATED.date.test(text)) || (type === 'datetime' && DATED.datetime.test(text))
  return `<${name}${typed ? ` type="${type}"` : ''}>${escaped(text)}</${name}>`
}

export function childrenOf(object: JsonObject): string {
  return Object.entries(object)
    .map(([key, value]) => element(key, value))
    .join('')
}

/** A page of any list: none, one or many children, unchanged. */
export function collection(
  name: string,
  page: { number: number; size: number; total: number },
  rows: string[],
): string {
  const head = childrenOf({ currentPageNumber: page.number, pageSize: page.size, totalItems: page.total })
  return `<${name} type="collection">${head}${rows.join('')}</${name}>`
}

export function document(root: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

/** Braintree writes `last-4` and `source-card-last-4`, but `country-code-alpha2` (the fixtures of its SDKs). */
function kebab(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/(last)(4)$/i, '$1-$2')
    .toLowerCase()
}

/** Characters that XML does not allow stay unchanged, so that a malformed object is shown as it is. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')
}
