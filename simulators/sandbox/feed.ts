import type { Account } from '../engine/accounts.ts'
import { changesAfter } from '../engine/change-feed.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { SandboxRefusal } from './responses.ts'

/** `GET …/chargebacks?after=&limit=`: changes after a position, oldest first, each chargeback once. */
export function feedPage(engine: DisputeEngine, account: Account, query: URLSearchParams): string {
  for (const name of query.keys()) {
    if (name !== 'after' && name !== 'limit')
      throw new SandboxRefusal(400, 'invalid_request', `unknown parameter ${name}`)
  }
  const after = wholeNumber(query, 'after', 0, Number.MAX_SAFE_INTEGER)
  const limit = wholeNumber(query, 'limit', 100, 100)
  const { changes, hasMore } = changesAfter(account, after, limit)
  const items = changes.map(({ position, record }) => `{"position":${position},"chargeback":${engine.text(record)}}`)
  return `{"items":[${items.join(',')}],"hasMore":${hasMore}}`
}

function wholeNumber(query: URLSearchParams, name: string, absent: number, most: number): number {
  const text = query.get(name)
  const value = text === null ? absent : Number(text)
  if ((text === null || /^\d+$/.test(text)) && value <= most && (name === 'after' || value > 0)) return value
  throw new SandboxRefusal(400, 'invalid_request', `${name} must be a whole number of at most ${most}`)
}
