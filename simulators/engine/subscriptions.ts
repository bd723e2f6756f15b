import type { Account } from './accounts.ts'
import type { DisputeLookup, EventRecord } from './contract.ts'
import { deliver } from './deliver.ts'

/** A webhook as a merchant sets it up at the PSP: every event of an account is sent to it as it happens. */
export interface Subscription {
  id: string
  url: string
  account: string
  /** Signing secret of the endpoint; null = the simulator's own. */
  secret: string | null
  /** Number of the last event that was delivered, or given up. */
  delivered: number
  /** How often the next one was tried in vain. */
  failed: number
}

export interface Subscriptions {
  /** The same address twice is one subscription. `backlog`: also what happened before. */
  add(order: { url: string; account: string; secret?: string | undefined; backlog?: boolean | undefined }): Subscription
  list(): Subscription[]
  remove(id: string): Subscription | undefined
  /** Something happened in an account. */
  wake(): void
  /** Until everything is delivered that could be. */
  idle(): Promise<void>
  restore(subscription: Subscription): void
  close(): void
}

/** What a delivery reads, and where it keeps how far it came. */
interface EventSource extends DisputeLookup {
  account(id: string): Account
  signingSecretOf(account: string): string
  persist(kind: string, value: unknown): void
  flush(): void
}

/** PSPs deliver side by side, so that order is no promise. */
const AT_ONCE = 8
const TRIES = 1000
const LONGEST_WAIT_MS = 30_000

/** Deliveries go on after a restart with the first event that was not taken. */
export function createSubscriptions(engineOf: () => EventSource): Subscriptions {
  const all = new Map<string, Subscription>()
  const running = new Map<string, Promise<void>>()
  const resting = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()
  let count = 0
  let scheduled = false
  let closed = false

  function waiting(subscription: Subscription): EventRecord[] {
    return engineOf()
      .account(subscription.account)
      .events.all()
      .filter((event) => event.sequence > subscription.delivered)
      .toSorted((a, b) => a.sequence - b.sequence)
  }

  async function drain(subscription: Subscription): Promise<void> {
    for (;;) {
      const backlog = waiting(subscription)
      if (backlog.length === 0) return
      for (let start = 0; start < backlog.length; start += AT_ONCE) {
        if (closed || all.get(subscription.id) !== subscription) return
        const batch = backlog.slice(start, start + AT_ONCE)
        if (!(await send(subscription, batch))) return rest(subscription)
        subscription.delivered = batch.at(-1)?.sequence ?? subscription.delivered
        subscription.failed = 0
        engineOf().persist('subscription', subscription)
      }
    }
  }

  async function send(subscription: Subscription, batch: EventRecord[]): Promise<boolean> {
    const engine = engineOf()
    const secret = subscription.secret ?? engine.signingSecretOf(subscription.account)
    const signedAt = Math.floor(Date.now() / 1000)
    const sent = await Promise.all(
      batch.map((event) =>
        deliver(subscription.url, { event, ...engine.profile.notification(engine, event, secret, signedAt) }),
      ),
    )
    if (sent.every(({ status }) => status !== null && status >= 200 && status < 300)) return true
    subscription.failed += 1
    return subscription.failed >= TRIES
  }

  /** The whole batch is sent again: receivers must know replays anyway. */
  function rest(subscription: Subscription): void {
    const wait = Math.min(LONGEST_WAIT_MS, 500 * 2 ** subscription.failed)
    resting.add(subscription.id)
    const timer = setTimeout(() => {
      timers.delete(timer)
      resting.delete(subscription.id)
      start()
    }, wait)
    timers.add(timer.unref())
  }

  function start(): void {
    for (const subscription of all.values()) {
      if (closed || resting.has(subscription.id) || running.has(subscription.id)) continue
      if (waiting(subscription).length === 0) continue
      const work = drain(subscription).finally(() => {
        running.delete(subscription.id)
        engineOf().flush()
        if (!resting.has(subscription.id)) start()
      })
      running.set(subscription.id, work)
    }
  }

  function wake(): void {
    if (scheduled || closed || all.size === 0) return
    scheduled = true
    // After the request that caused it: what it does to a dispute is one step.
    setImmediate(() => {
      scheduled = false
      start()
    })
  }

  return {
    add({ url, account, secret, backlog }) {
      const known = [...all.values()].find((other) => other.url === url && other.account === account)
      if (known) return known
      count += 1
      const events = engineOf().account(account).events.all()
      const newest = events.reduce((most, event) => Math.max(most, event.sequence), 0)
      const subscription: Subscription = {
        id: `sub_${count}`,
        url,
        account,
        secret: secret ?? null,
        delivered: backlog === true ? 0 : newest,
        failed: 0,
      }
      all.set(subscription.id, subscription)
      engineOf().persist('subscription', subscription)
      wake()
      return subscription
    },
    list: () => [...all.values()],
    remove(id) {
      const subscription = all.get(id)
      all.delete(id)
      if (subscription) engineOf().persist('unsubscribed', id)
      return subscription
    },
    wake,
    async idle() {
      while (scheduled || running.size > 0) {
        await Promise.all(running.values())
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    restore(subscription) {
      all.set(subscription.id, subscription)
      count = Math.max(count, Number(subscription.id.slice(4)))
    },
    close() {
      closed = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
