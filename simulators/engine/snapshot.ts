import type { Access } from './access.ts'
import { type Account, type Accounts, putDispute, putEvent, putFile } from './accounts.ts'
import type { DisputeRecord, EventRecord, FileRecord, JsonObject, PspProfile } from './contract.ts'
import type { Ledger } from './ledger.ts'
import type { Answers } from './responses.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/** The state of an engine that survives a restart. */
export interface Lasting {
  readonly profile: PspProfile
  readonly access: Access
  readonly subscriptions: Subscriptions
  readonly answers: Answers
  readonly ledger: Ledger
  clockOffset(): number
  accounts(): Iterable<Account>
  read(record: DisputeRecord): JsonObject
}

/** The whole state of a simulator as journal entries, in the order in which they are read back. */
export function* snapshotOf(engine: Lasting): Iterable<[string, unknown]> {
  yield ['clock', engine.clockOffset()]
  for (const account of engine.access.all()) yield ['opened', account]
  for (const [key, account] of engine.access.keys()) yield ['key', { key, account }]
  for (const account of engine.accounts()) {
    for (const record of account.disputes.all()) yield ['dispute', record]
    for (const event of account.events.all()) yield ['event', event]
    for (const file of account.files.all()) yield ['file', { ...file, content: file.content.toString('base64') }]
    for (const [id, text] of account.planted) yield ['planted', { account: account.id, id, text }]
  }
  for (const subscription of engine.subscriptions.list()) yield ['subscription', subscription]
  for (const answer of engine.answers.all()) yield ['answer', answer]
  for (const call of engine.ledger.calls) yield ['call', call]
  for (const effect of engine.ledger.effects) yield ['effect', effect]
}

/** Restores one entry; the engine restores that of the clock itself. */
export function restoreEntry(engine: Lasting, accounts: Accounts, kind: string, value: unknown): void {
  if (kind === 'dispute') {
    const record = value as DisputeRecord
    putDispute(accounts.get(record.account), record, engine.profile.read(engine.read(record)).links)
  } else if (kind === 'removed') {
    const { account, reference } = value as { account: string; reference: string }
    const record = accounts.get(account).byReference.get(reference)
    if (record) accounts.get(account).disputes.remove(record)
    accounts.get(account).byReference.delete(reference)
  } else if (kind === 'event') putEvent(accounts.get((value as EventRecord).account), value as EventRecord)
  else if (kind === 'file') {
    const file = value as Omit<FileRecord, 'content'> & { content: string }
    putFile(accounts.get(file.account), { ...file, content: Buffer.from(file.content, 'base64') })
  } else if (kind === 'planted') {
    const { account, id, text } = value as { account: string; id: string; text: string }
    accounts.get(account).planted.set(id, text)
  } else if (kind === 'opened') engine.access.open(value as string)
  else if (kind === 'key') {
    const { key, account } = value as { key: string; account: string | null }
    engine.access.give(key, account)
  } else if (kind === 'subscription') engine.subscriptions.restore(value as Subscription)
  else if (kind === 'unsubscribed') engine.subscriptions.remove(value as string)
  else if (kind === 'answer') engine.answers.restore(value as never)
  else if (kind === 'call') engine.ledger.restoreCall(value as never)
  else if (kind === 'effect') engine.ledger.effects.push(value as never)
}
