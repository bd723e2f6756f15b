import type { DisputeRecord, EventRecord, FileRecord } from './contract.ts'
import { createTimeline, type Timeline } from './timeline.ts'

/** One account of the PSP, created on first use. */
export interface Account {
  id: string
  /** Next sequence number in this account; ids derive from it. */
  counter: number
  disputes: Timeline<DisputeRecord>
  byReference: Map<string, DisputeRecord>
  /** Disputes by the identifiers that lists filter by. */
  byLink: Map<string, DisputeRecord[]>
  events: Timeline<EventRecord>
  eventById: Map<string, EventRecord>
  files: Timeline<FileRecord>
  fileById: Map<string, FileRecord>
  /** Other objects that were added unchanged (charges, customers), by id. */
  planted: Map<string, string>
}

export interface Accounts {
  get(id: string): Account
  known(id: string): Account | undefined
  all(): Iterable<Account>
}

export function createAccounts(): Accounts {
  const accounts = new Map<string, Account>()
  return {
    get(id) {
      const known = accounts.get(id)
      if (known) return known
      const account: Account = {
        id,
        counter: 1,
        disputes: createTimeline(),
        byReference: new Map(),
        byLink: new Map(),
        events: createTimeline(),
        eventById: new Map(),
        files: createTimeline(),
        fileById: new Map(),
        planted: new Map(),
      }
      accounts.set(id, account)
      return account
    },
    known: (id) => accounts.get(id),
    all: () => accounts.values(),
  }
}

export function putDispute(account: Account, record: DisputeRecord, links: readonly string[]): void {
  const old = account.byReference.get(record.reference)
  if (old) account.disputes.remove(old)
  account.counter = Math.max(account.counter, record.sequence + 1)
  account.byReference.set(record.reference, record)
  account.disputes.add(record)
  for (const link of links) {
    const linked = (account.byLink.get(link) ?? []).filter((other) => other.reference !== record.reference)
    account.byLink.set(link, [...linked, record])
  }
}

export function putEvent(account: Account, event: EventRecord): void {
  account.counter = Math.max(account.counter, event.sequence + 1)
  account.events.add(event)
  account.eventById.set(event.id, event)
}

export function putFile(account: Account, file: FileRecord): void {
  account.counter = Math.max(account.counter, file.sequence + 1)
  account.files.add(file)
  account.fileById.set(file.id, file)
}
