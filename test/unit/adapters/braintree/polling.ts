import { type BraintreeCursor, braintreeCursor } from '../../../../adapters/braintree/cursor.ts'
import { type connectTo, INITIAL } from './connect.ts'

/** Reads all pages of a poll. */
export async function poll(adapter: ReturnType<typeof connectTo>, start: BraintreeCursor = INITIAL) {
  const returned: (string | null)[] = []
  let cursor = start
  let pages = 0
  for (let hasMore = true; hasMore; ) {
    const page = await adapter.listDisputes({ cursor: braintreeCursor.schema.parse(cursor), oldestOpen: null })
    returned.push(...page.items.map((item) => item.reference))
    ;({ cursor, hasMore } = page)
    if (++pages > 200) throw new Error('no end')
  }
  return { returned, cursor, pages }
}

/** A page of the disputes `ids` in Braintree's XML. */
export function pageOf(ids: string[], total: number, size = 50) {
  const rows = ids.map((id) => `<dispute><id>${id}</id></dispute>`).join('')
  return `<disputes type="collection"><current-page-number type="integer">1</current-page-number>
    <page-size type="integer">${size}</page-size><total-items type="integer">${total}</total-items>${rows}</disputes>`
}
