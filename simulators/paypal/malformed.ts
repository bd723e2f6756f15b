import type { JsonObject } from '../engine/contract.ts'
import type { Malformed } from '../engine/control/bodies.ts'
import { malformedText } from '../engine/malformed.ts'

/** Malforms a dispute in PayPal's equivalents of the engine's fields. */
export function malformed(kind: Malformed, dispute: JsonObject): string {
  const amount = dispute.dispute_amount as JsonObject
  const text = (fields: JsonObject): string => JSON.stringify({ ...dispute, ...fields })
  const without = (...names: string[]): string =>
    JSON.stringify(Object.fromEntries(Object.entries(dispute).filter(([name]) => !names.includes(name))))
  switch (kind) {
    case 'amount_text':
      return text({ dispute_amount: { ...amount, value: 'twelve' } })
    case 'amount_float':
      return text({ dispute_amount: { ...amount, value: 10.995 } })
    case 'amount_huge':
      return text({ dispute_amount: { ...amount, value: '9'.repeat(400) } })
    case 'amount_missing':
      return without('dispute_amount')
    case 'id_null':
      return text({ dispute_id: null })
    case 'id_missing':
      return without('dispute_id')
    case 'created_text':
      return text({ create_time: 'yesterday' })
    case 'currency_unknown':
      return text({ dispute_amount: { ...amount, currency_code: 'ZZZ' } })
    case 'status_missing':
      return without('status', 'dispute_state')
    case 'status_unknown':
      return text({ status: 'A_STATUS_OF_NEXT_YEAR', dispute_state: 'A_STATE_OF_NEXT_YEAR' })
    default:
      return malformedText(kind, dispute)
  }
}
