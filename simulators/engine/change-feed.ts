import type { Account } from './accounts.ts'
import type { DisputeRecord } from './contract.ts'

/** A list of changes, oldest first, for PSPs that have one. */
export interface Change {
  /** Sequence number of the dispute's last event: increases with every change in the account. */
  position: number
  record: DisputeRecord
}

const feeds = new WeakMap<Account, { events: number; entries: { position: number; reference: string }[] }>()

/** Up to `limit` disputes that changed after a position, each once, and whether there are more. */
export function changesAfter(account: Account, after: number, limit: number): { changes: Change[]; hasMore: boolean } {
  const entries = entriesOf(account)
  const changes: Change[] = []
  for (let index = firstBehind(entries, after); index < entries.length; index++) {
    const entry = entries[index]
    const record = entry && account.byReference.get(entry.reference)
    if (!record) continue
    if (changes.length === limit) return { changes, hasMore: true }
    changes.push({ position: entry.position, record })
  }
  return { changes, hasMore: false }
}

function entriesOf(account: Account): { position: number; reference: string }[] {
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

function firstBehind(entries: readonly { position: number }[], after: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.position ?? 0) <= after) low = middle + 1
    else high = middle
  }
  return low
}
