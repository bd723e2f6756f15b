import { createHash } from 'node:crypto'

/** An access token: never stored, never logged. */
export interface Token {
  value: string
  scopes: readonly string[]
  /** Milliseconds since 1970 at which it is discarded. */
  expiresAt: number
}

/** Tokens of one credential. */
export interface TokenSource {
  /** A valid token. Concurrent callers share one request. */
  current(): Promise<Token>
  /** A new token: only new tokens have changed permissions. */
  fresh(): Promise<Token>
  /** PayPal rejected `token` before it expired. */
  drop(token: Token): void
}

interface Slot {
  token: Token | null
  minting: Promise<Token> | null
}

/** Maximum number of cached credentials; the least recently renewed is evicted. */
const SLOTS = 5_000
const slots = new Map<string, Slot>()

/**
 * Tokens of one credential at one URL, shared by the process, because PayPal limits how often they are created.
 * Failures are not cached, and a waiting caller retries itself, because the failure may be due to the other's deadline.
 */
export function tokenSource(
  credential: { base: string; clientId: string; clientSecret: string },
  mint: () => Promise<Token>,
  now: () => Date,
): TokenSource {
  const { base, clientId, clientSecret } = credential
  const key = createHash('sha256')
    .update(JSON.stringify([base, clientId, clientSecret]))
    .digest('hex')

  async function renew(slot: Slot): Promise<Token> {
    const minting = mint()
    slot.minting = minting
    try {
      slot.token = await minting
      return slot.token
    } finally {
      if (slot.minting === minting) slot.minting = null
    }
  }
  return {
    async current() {
      const slot = slotOf(key)
      if (slot.token !== null && slot.token.expiresAt > now().getTime()) return slot.token
      const other = slot.minting
      if (other === null) return renew(slot)
      return other.catch(() => slot.minting ?? renew(slot))
    },
    fresh: () => renew(slotOf(key)),
    drop(token) {
      const slot = slotOf(key)
      if (slot.token?.value === token.value) slot.token = null
    },
  }
}

function slotOf(key: string): Slot {
  const known = slots.get(key)
  if (known) return known
  const [oldest] = slots.keys()
  if (slots.size >= SLOTS && oldest !== undefined) slots.delete(oldest)
  const slot: Slot = { token: null, minting: null }
  slots.set(key, slot)
  return slot
}
