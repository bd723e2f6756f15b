import type { JsonObject } from './contract.ts'
import type { Malformed } from './control/bodies.ts'

/** The text of an object with one malformation; it stays JSON, so that only this object is affected, not its page. */
export function malformedText(kind: Malformed, object: JsonObject): string {
  const broken: JsonObject = { ...object }
  const text = (fields: JsonObject): string => JSON.stringify({ ...broken, ...fields })
  switch (kind) {
    case 'amount_text':
      return text({ amount: 'twelve' })
    case 'amount_float':
      return text({ amount: 10.995 })
    case 'amount_huge':
      return text({ amount: '@@' }).replace('"@@"', '1e30')
    case 'amount_missing':
      delete broken.amount
      return JSON.stringify(broken)
    case 'id_null':
      return text({ id: null })
    case 'id_missing':
      delete broken.id
      return JSON.stringify(broken)
    case 'created_text':
      return text({ created: 'yesterday' })
    case 'currency_unknown':
      return text({ currency: 'zzz' })
    case 'status_missing':
      delete broken.status
      return JSON.stringify(broken)
    case 'status_unknown':
      return text({ status: 'status_of_next_year' })
    case 'nul_character':
      return text({ reason: 'general\u0000general' })
    case 'lone_surrogate':
      return text({ reason: '@@' }).replace('@@', '\\ud800')
    case 'not_an_object':
      return '"a text where an object should be"'
  }
}
