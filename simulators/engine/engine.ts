import { createAccess } from './access.ts'
import { type Account, createAccounts, putDispute, putEvent, putFile } from './accounts.ts'
import type {
  DisputeLookup,
  DisputeRecord,
  EventRecord,
  FileRecord,
  JsonObject,
  PspProfile,
  Reading,
} from './contract.ts'
import { tokenOf } from './draw.ts'
import { createFaults, type Faults } from './faults.ts'
import { createHolds, type Holds } from './holds.ts'
import type { Journal } from './journal.ts'
import { createLedger } from './ledger.ts'
import { createAnswers } from './responses.ts'
import { type Lasting, restoreEntry, snapshotOf } from './snapshot.ts'
import { createSubscriptions } from './subscriptions.ts'

/** Cached texts of unchanged disputes, about 2.5 KB each. */
const TEXTS_KEPT = 20_000

export interface EngineOptions {
  seed: string
  journal?: Journal | undefined
  /** Accounts listed for clients; the home account always exists. */
  handedOut?: readonly string[]
}

/**
 * Disputes of one PSP with their life cycle, in memory, on a virtual clock, the same for every PSP. The PSP's own words
 * and object shapes come from its profile.
 */
export interface DisputeEngine extends DisputeLookup, Lasting {
  readonly profile: PspProfile
  readonly seed: string
  readonly faults: Faults
  readonly holds: Holds
  /** Virtual time in unix seconds: real time plus the clock's offset. */
  now(): number
  moveClock(seconds: number): void
  account(id: string): Account
  /** Whether that account was ever read or written. */
  knows(id: string): boolean
  /** Signing secret of the account's notifications, unless a subscription has its own. */
  signingSecretOf(account: string): string
  text(record: DisputeRecord): string
  nextNumber(account: Account): number
  insert(record: DisputeRecord, reading: Reading): void
  insertEvent(event: EventRecord): void
  insertFile(file: FileRecord): void
  plant(account: string, id: string, text: string): void
  /** Changes a dispute, and records the PSP's notification of it. */
  change(record: DisputeRecord, mutate: (dispute: JsonObject) => void, at?: number): void
  setPending(record: DisputeRecord, pending: DisputeRecord['pending']): void
  remove(record: DisputeRecord): void
  /** Applies everything that is due. Called before each response. */
  applyDue(): void
  persist(kind: string, value: unknown): void
  restore(entries: Iterable<[string, unknown]>): void
  entries(): Iterable<[string, unknown]>
  flush(): void
  close(): void
}

export function createEngine(profile: PspProfile, { seed, journal, handedOut = [] }: EngineOptions): DisputeEngine {
  const accounts = createAccounts()
  const armed = new Set<DisputeRecord>()
  const texts = new Map<DisputeRecord, string>()
  let nextDue = Number.POSITIVE_INFINITY
  let offset = 0

  function persist(kind: string, value: unknown): void {
    journal?.add(kind, value)
  }
  const ledger = createLedger(persist, (n) => `req_${tokenOf(14, seed, 'request', n)}`)
  const answers = createAnswers(persist)
  const holds = createHolds()
  const access = createAccess([profile.homeAccount, ...handedOut], accounts.all, persist)

  function dueOf(record: DisputeRecord): number {
    return Math.min(record.pending?.at ?? Number.POSITIVE_INFINITY, record.deadline ?? Number.POSITIVE_INFINITY)
  }
  function arm(record: DisputeRecord): void {
    const due = dueOf(record)
    if (due === Number.POSITIVE_INFINITY) armed.delete(record)
    else armed.add(record)
    nextDue = Math.min(nextDue, due)
  }

  const engine: DisputeEngine = {
    profile,
    subscriptions: createSubscriptions(() => engine),
    seed,
    ledger,
    answers,
    holds,
    access,
    faults: createFaults(),
    now: () => Math.floor(Date.now() / 1000) + offset,
    clockOffset: () => offset,
    moveClock(seconds) {
      offset += seconds
      persist('clock', offset)
      engine.applyDue()
    },
    account: (id) => accounts.get(id),
    knows: (id) => accounts.known(id) !== undefined,
    accounts: () => accounts.all(),
    signingSecretOf: (account) => profile.notificationSecretOf?.(account) ?? profile.notificationSecret,
    find(reference, account) {
      if (account !== undefined) return accounts.known(account)?.byReference.get(reference)
      const home = accounts.known(profile.homeAccount)?.byReference.get(reference)
      if (home) return home
      for (const other of accounts.all()) {
        const record = other.byReference.get(reference)
        if (record) return record
      }
      return undefined
    },
    read: (record) =>
      record.text === null && record.plan ? profile.build(record.plan) : JSON.parse(record.text ?? '{}'),
    text(record) {
      const known = record.text ?? texts.get(record)
      if (known !== undefined) return known
      const text = JSON.stringify(engine.read(record))
      if (texts.size >= TEXTS_KEPT) texts.clear()
      texts.set(record, text)
      return text
    },
    nextNumber(account) {
      account.counter += 1
      return account.counter - 1
    },
    insert(record, { links }) {
      putDispute(accounts.get(record.account), record, links)
      arm(record)
      persist('dispute', record)
    },
    insertEvent(event) {
      putEvent(accounts.get(event.account), event)
      persist('event', event)
      engine.subscriptions.wake()
    },
    insertFile(file) {
      putFile(accounts.get(file.account), file)
      persist('file', { ...file, content: file.content.toString('base64') })
    },
    plant(account, id, text) {
      accounts.get(account).planted.set(id, text)
      persist('planted', { account, id, text })
    },
    change(record, mutate, at = engine.now()) {
      const before = engine.read(record)
      const after = engine.read(record)
      mutate(after)
      profile.touch?.(before, after, at)
      record.text = JSON.stringify(after)
      const reading = profile.read(after)
      record.word = reading.word
      record.deadline = reading.deadline
      arm(record)
      const account = accounts.get(record.account)
      for (const draft of profile.eventsBetween(before, after)) {
        const sequence = engine.nextNumber(account)
        const id = `evt_${tokenOf(24, seed, 'event', account.id, sequence)}`
        const { reference, text } = record
        engine.insertEvent({ ...draft, id, account: account.id, reference, text, at, sequence })
      }
      persist('dispute', record)
    },
    setPending(record, pending) {
      record.pending = pending
      arm(record)
      persist('dispute', record)
    },
    remove(record) {
      const account = accounts.get(record.account)
      account.disputes.remove(record)
      account.byReference.delete(record.reference)
      armed.delete(record)
      persist('removed', { account: record.account, reference: record.reference })
    },
    applyDue() {
      const now = engine.now()
      if (now < nextDue) return
      for (;;) {
        const due = [...armed].filter((record) => dueOf(record) <= now).sort((a, b) => dueOf(a) - dueOf(b))
        if (due.length === 0) break
        for (const record of due) {
          const at = dueOf(record)
          const { pending } = record
          if (pending && pending.at === at) {
            record.pending = null
            engine.change(record, (dispute) => void profile.decide(dispute, pending.outcome, at), at)
          } else {
            record.deadline = null
            engine.change(record, (dispute) => profile.expire(dispute, at), at)
            // Whatever the PSP did: a deadline passes once.
            if (record.deadline !== null && record.deadline <= at) record.deadline = null
          }
        }
      }
      nextDue = [...armed].reduce((least, record) => Math.min(least, dueOf(record)), Number.POSITIVE_INFINITY)
    },
    persist,
    restore(entries) {
      for (const [kind, value] of entries) {
        if (kind === 'clock') offset = value as number
        else restoreEntry(engine, accounts, kind, value)
      }
      for (const account of accounts.all()) for (const record of account.disputes.all()) arm(record)
      engine.subscriptions.wake()
    },
    entries: () => snapshotOf(engine),
    flush() {
      if (journal?.bloated()) journal.rewrite(engine.entries())
      else journal?.flush()
    },
    close() {
      holds.dropAll()
      engine.subscriptions.close()
      journal?.close()
    },
  }

  return engine
}
