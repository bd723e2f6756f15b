import { paypalCursor } from '../../../../adapters/paypal/cursor.ts'
import { detail, json, NOW, stubbed } from './paypal.ts'

/** A disputes list in memory, for cases that the simulator can't produce. */

export interface Listed {
  id: string
  /** Unix seconds. */
  updatedAt: number
  status?: string
  stage?: string
  /** Replaces the response with the detail. */
  detail?: () => Response
}

export const seconds = NOW.getTime() / 1000
const iso = (at: number) => new Date(at * 1000).toISOString()

export function listed(count: number, updatedAt = (index: number) => seconds - 86_400 - index * 60): Listed[] {
  return Array.from({ length: count }, (_, index) => ({ id: `PP-${index}`, updatedAt: updatedAt(index) }))
}

export function openList(disputes: Listed[], overrides: Parameters<typeof stubbed>[1] = {}) {
  const lists: URLSearchParams[] = []
  const details: string[] = []
  let open = 0
  let most = 0
  const stub = stubbed(({ path }) => {
    const url = new URL(path, 'https://api.paypal.com')
    if (url.pathname === '/v1/customer/disputes') return json(pageOf(url))
    if (!url.pathname.startsWith('/v1/customer/disputes/')) return undefined
    const id = url.pathname.split('/').at(-1) ?? ''
    const near = disputes[Number(id.slice(3))]
    const found = near?.id === id ? near : disputes.find((dispute) => dispute.id === id)
    details.push(id)
    if (!found) return undefined
    open += 1
    most = Math.max(most, open)
    return Promise.resolve().then(() => {
      open -= 1
      return found.detail?.() ?? json(detail({ dispute_id: id, update_time: iso(found.updatedAt) }))
    })
  }, overrides)

  function pageOf(url: URL) {
    lists.push(url.searchParams)
    const size = Number(url.searchParams.get('page_size'))
    const page = Number(url.searchParams.get('page') ?? 1)
    const bound = (name: string, otherwise: number) => Date.parse(url.searchParams.get(name) ?? iso(otherwise)) / 1000
    const [after, before] = [bound('update_time_after', 0), bound('update_time_before', seconds * 2)]
    const matching = disputes.filter(({ updatedAt }) => updatedAt >= after && updatedAt <= before)
    const rows = matching.slice((page - 1) * size, page * size)
    const next = new URL(url)
    next.searchParams.set('page', String(page + 1))
    const more = matching.length > page * size && page < 50
    const items = rows.map(({ id, updatedAt, status = 'OPEN', stage = 'INQUIRY' }) => ({
      dispute_id: id,
      update_time: iso(updatedAt),
      status,
      dispute_life_cycle_stage: stage,
    }))
    return {
      ...(items.length > 0 && { items }),
      links: [{ rel: 'self', href: url.toString() }, ...(more ? [{ rel: 'next', href: next.toString() }] : [])],
    }
  }

  let cursor = paypalCursor.initial(NOW)
  return {
    ...stub,
    lists,
    details,
    mostAtOnce: () => most,
    cursor: () => cursor,
    setCursor(changes: Partial<typeof cursor>) {
      cursor = { ...cursor, ...changes }
    },
    async page() {
      const page = await stub.adapter.listDisputes({ cursor, oldestOpen: null })
      cursor = paypalCursor.schema.parse(JSON.parse(JSON.stringify(page.cursor)))
      return page
    },
    /** Pages to the end of the scan. */
    async poll(between: (pages: number) => void = () => undefined) {
      const references: (string | null)[] = []
      for (let pages = 1; ; pages++) {
        const { items, hasMore } = await this.page()
        references.push(...items.map((item) => item.reference))
        if (!hasMore) return references
        if (pages > 500) throw new Error('the list has no end')
        between(pages)
      }
    },
  }
}
