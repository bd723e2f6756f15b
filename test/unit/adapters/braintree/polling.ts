import { type BraintreeCursor, braintreeCursor } from '../../../../adapters/braintree/cursor.ts'
import { type connectTo, INITIAL } from './connect.ts'

/** A poll to its end. */
export async function poll(adapter: ReturnType<typeof connectTo>, start: BraintreeCursor = INITIAL) {
  const handed: (string | null)[] = []
  let cursor = start
  let pages = 0
  for (let hasMore = true; hasMore; ) {
    const page = await adapter.listDisputes({ cursor: braintreeCursor.schema.parse(cursor), oldestOpen: null })
    handed.push(...page.items.map((item) => item.reference))
    ;({ cursor, hasMore } = page)
    if (++pages > 200) throw new Error('no end')
  }
  return { handed, cursor, pages }
}

/** A page as Braintree sends it, from ids. */
export function pageOf(ids: string[], total: number, size = 50) {
  const rows = ids.map((id) => `<dispute><id>${id}</id></dispute>`).join('')
  return `<disputes type="collection"><current-page-number type="integer">1</current-page-number>
    <page-size type="integer">${size}</page-size><total-items type="integer">${total}</total-items>${rows}</disputes>`
}
