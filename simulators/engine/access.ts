/** Which accounts a simulated PSP has, and which of its credentials belong to whom. */
export interface Access {
  /** The account exists from now on, though nothing is in it yet. */
  open(account: string): void
  /** Whether there is such an account: handed out, opened, or with something in it. */
  exists(account: string): boolean
  all(): string[]
  /** The credential belongs to that account from now on, whoever had it before; null revokes it. */
  give(key: string, account: string | null): void
  /** Null for a revoked credential; undefined for one that was never given, to which the PSP's own rules apply. */
  ownerOf(key: string): string | null | undefined
  keys(): Iterable<[string, string | null]>
}

export function createAccess(
  handedOut: readonly string[],
  inUse: () => Iterable<{ id: string }>,
  persist: (kind: 'opened' | 'key', value: unknown) => void,
): Access {
  const opened = new Set<string>(handedOut)
  const owners = new Map<string, string | null>()
  const all = () => [...new Set([...opened, ...Array.from(inUse(), ({ id }) => id)])]
  return {
    open(account) {
      opened.add(account)
      persist('opened', account)
    },
    exists: (account) => opened.has(account) || all().includes(account),
    all,
    give(key, account) {
      owners.set(key, account)
      persist('key', { key, account })
    },
    ownerOf: (key) => owners.get(key),
    keys: () => owners.entries(),
  }
}
