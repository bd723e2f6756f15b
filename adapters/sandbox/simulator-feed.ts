import type { Account } from '../simulator/accounts.ts'
import type { DisputeEngine } from '../simulator/engine.ts'
import { SandboxRefusal } from './simulator-answers.ts'

interface Entry {
  /** Number of the chargeback's last event: grows with every change in the account. */
  position: number
  reference: string
}

const feeds = new WeakMap<Account, { events: number; entries: Entry[] }>()

/** `GET …/chargebacks?after=&limit=`: what changed behind a position, oldest change first, each chargeback once. */
export function feedPage(engine: DisputeEngine, account: Account, query: URLSearchParams): string {
  for (const name of query.keys()) {
    if (name !== 'after' && name !== 'limit')
      throw new SandboxRefusal(400, 'invalid_request', `unknown parameter ${name}`)
  }
  const after = wholeNumber(query, 'after', 0, Number.MAX_SAFE_INTEGER)
  const limit = wholeNumber(query, 'limit', 100, 100)
  const entries = entriesOf(account)
  const items: string[] = []
  let hasMore = false
  for (let index = firstBehind(entries, after); index < entries.length; index++) {
    const { position, reference } = entries[index] as Entry
    const record = account.byReference.get(reference)
    if (!record) continue
    hasMore = items.length === limit
    if (hasMore) break
    items.push(`{"position":${position},"chargeback":${engine.text(record)}}`)
  }
  return `{"items":[${items.join(',')}],"hasMore":${hasMore}}`
}

function wholeNumber(query: URLSearchParams, name: string, absent: number, most: number): number {
  const text = query.get(name)
  const value = text === null ? absent : Number(text)
  if ((text === null || /^\d+$/.test(text)) && value <= most && (name === 'after' || value > 0)) return value
  throw new SandboxRefusal(400, 'invalid_request', `${name} must be a whole number of at most ${most}`)
}

function entriesOf(account: Account): Entry[] {
  const known = feeds.get(account)
  if (known?.events === account.eventById.size) return known.entries
  const last = new Map<string, number>()
  for (const { reference, sequence } of account.eventById.values()) {
    last.set(reference, Math.max(last.get(reference) ?? 0, sequence))
  }
  const entries = [...last].map(([reference, position]) => ({ reference, position }))
  entries.sort((a, b) => a.position - b.position)
  feeds.set(account, { events: account.eventById.size, entries })
  return entries
}

function firstBehind(entries: readonly Entry[], after: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.position ?? 0) <= after) low = middle + 1
    else high = middle
  }
  return low
}
