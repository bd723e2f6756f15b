/** Accounts of a simulated PSP, and the accounts of its credentials. */
export interface Access {
  /** Creates the account, empty. */
  open(account: string): void
  /** Whether the account exists: listed, opened, or with content. */
  exists(account: string): boolean
  all(): string[]
  /** Assigns the credential to that account, from any other; null revokes it. */
  give(key: string, account: string | null): void
  /** Null for a revoked credential; undefined for one without an assignment, to which the PSP's own rules apply. */
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
