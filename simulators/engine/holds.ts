import { type Match, matches } from './match.ts'

/** Result of a released hold: the request is applied, or lost before it reaches the PSP. */
export type Release = 'apply' | 'drop'

export interface Hold {
  id: string
  match: Match
  then: Release
  /** Number of further requests to hold; null = every one until it is released. */
  left: number | null
  /** Held requests, by number in the call log. */
  held: { callId: number; method: string; path: string; idempotencyKey: string | null; since: string }[]
}

type HeldCall = { id: number; method: string; path: string; idempotencyKey: string | null }

export interface Holds {
  arm(match: Match, then: Release, count: number | null): Hold
  list(): Hold[]
  /** The hold for this request, or undefined. */
  take(call: HeldCall, body: string): Promise<Release> | undefined
  /** Whether a request with this key is held and will be applied, so the PSP has received it. */
  release(id: string, then?: Release): Hold | undefined
  dropAll(): void
}

/** Holds live as long as the process, because a held request has a connection. */
export function createHolds(): Holds {
  const holds = new Map<string, { hold: Hold; letGo: ((release: Release) => void)[] }>()
  let count = 0
  function release(id: string, then?: Release): Hold | undefined {
    const entry = holds.get(id)
    holds.delete(id)
    for (const letGo of entry?.letGo ?? []) letGo(then ?? entry?.hold.then ?? 'drop')
    return entry?.hold
  }
  return {
    arm(match, then, left) {
      count += 1
      const hold: Hold = { id: `hold_${count}`, match, then, left, held: [] }
      holds.set(hold.id, { hold, letGo: [] })
      return hold
    },
    list: () => [...holds.values()].map((entry) => entry.hold),
    take(call, body) {
      for (const { hold, letGo } of holds.values()) {
        if (hold.left === 0 || !matches(hold.match, call.method, call.path, body)) continue
        if (hold.left !== null) hold.left -= 1
        const { id, method, path, idempotencyKey } = call
        hold.held.push({ callId: id, method, path, idempotencyKey, since: new Date().toISOString() })
        return new Promise((resolve) => letGo.push(resolve))
      }
      return undefined
    },
    release,
    dropAll() {
      for (const id of [...holds.keys()]) release(id, 'drop')
    },
  }
}
