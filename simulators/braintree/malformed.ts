import type { JsonObject } from '../engine/contract.ts'
import type { Malformed } from '../engine/control/bodies.ts'

/** A dispute with one malformation, in Braintree's fields. */
export function malformed(kind: Malformed, dispute: JsonObject): string {
  const text = (fields: JsonObject): string => JSON.stringify({ ...dispute, ...fields })
  const without = (name: string): string => JSON.stringify({ ...dispute, [name]: undefined })
  switch (kind) {
    case 'amount_text':
      return text({ amountDisputed: 'twelve' })
    case 'amount_float':
      return text({ amountDisputed: '10.9951' })
    case 'amount_huge':
      return text({ amountDisputed: '1e30' })
    case 'amount_missing':
      return without('amountDisputed')
    case 'id_null':
      return text({ id: null })
    case 'id_missing':
      return without('id')
    case 'created_text':
      return text({ receivedDate: 'yesterday' })
    case 'currency_unknown':
      return text({ currencyIsoCode: 'ZZZ' })
    case 'status_missing':
      return without('status')
    case 'status_unknown':
      return text({ status: 'status_of_next_year' })
    case 'nul_character':
      return text({ reason: 'general\u0000general' })
    case 'lone_surrogate':
      return text({ reason: '\ud800' })
    case 'not_an_object':
      return '"a text where a dispute should be"'
  }
}

/** A page that is empty but continues, repeats its first dispute, or never ends. */
export function reshapePage(kind: 'empty_page' | 'repeated_item' | 'endless_pages', body: string): string {
  const rows = /<dispute>[\s\S]*<\/dispute>/.exec(body)?.[0]
  if (!body.includes('<disputes type="collection">')) return body
  if (kind === 'endless_pages') return body.replace(/(<total-items[^>]*>)\d+/, '$1100000')
  if (rows === undefined) return body
  if (kind === 'empty_page') return body.replace(rows, '')
  const [first = ''] = /<dispute>[\s\S]*?<\/dispute>(?=<dispute>|<\/disputes>)/.exec(rows) ?? []
  return body.replace('<dispute>', () => `${first}<dispute>`)
}
