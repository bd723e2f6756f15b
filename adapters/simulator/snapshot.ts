import type { DisputeEngine } from './engine.ts'

/** The whole state of a simulator as journal entries, in the order in which they are read back. */
export function* snapshotOf(engine: DisputeEngine): Iterable<[string, unknown]> {
  yield ['clock', engine.clockOffset()]
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
