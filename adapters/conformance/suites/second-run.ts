import assert from 'node:assert/strict'
import type { Bench } from '../bench.ts'
import type { Suite } from '../check.ts'
import { emptyStore, ingest } from '../store.ts'

/** A second poll costs nothing when nothing has changed, and finds every change. */
export const secondRunSuite: Suite = {
  name: 'second run',
  checks: [
    { name: 'nothing new gives nothing or the same bytes, and the same cursor', run: unchanged },
    { name: 'a change after the read is seen', run: changed },
    { name: 'a new dispute is seen', run: added },
    { name: 'a decided dispute that is reopened is seen within a week', run: reopened },
    { name: 'an old dispute that is still open is read again', run: oldOpen },
  ],
}

async function loaded(bench: Bench, order: Record<string, unknown>) {
  const references = await bench.create(order)
  const { definition } = bench.subject
  const store = emptyStore(definition, bench.now())
  await ingest(definition, bench.connect(), store)
  return { references, store, again: () => ingest(definition, bench.connect(), store) }
}

async function unchanged(bench: Bench) {
  const { store, again } = await loaded(bench, { count: 130 })
  const before = JSON.stringify(store.cursor)
  const done = await again()
  assert.deepEqual([done.created, done.changed], [[], []])
  assert.equal(JSON.stringify(store.cursor), before)
}

async function changed(bench: Bench) {
  const { references, store, again } = await loaded(bench, { count: 20, status: 'under_review' })
  const [reference = ''] = references
  await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
  const done = await again()
  assert.deepEqual(done.changed, [reference])
  assert.equal(store.rows.get(reference)?.facts.pspStatus, 'lost')
}

async function added(bench: Bench) {
  const { again } = await loaded(bench, { count: 5 })
  const [reference] = await bench.create({ count: 1 })
  assert.deepEqual((await again()).created, [reference])
}

async function reopened(bench: Bench) {
  const { references, store, again } = await loaded(bench, {
    count: 1,
    status: 'lost',
    stage: 'chargeback',
    ageDays: 60,
  })
  const [reference = ''] = references
  // A newer dispute, so that the window of a regular poll does not reach back to this one.
  await bench.create({ count: 1, status: 'won', ageDays: 0.5 })
  await again()
  await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'reopened' })
  await bench.control('POST', '/clock', { seconds: 7 * 86_400 + 1 })
  await again()
  assert.equal(store.rows.get(reference)?.facts.pspStatus, 'needs_response')
}

async function oldOpen(bench: Bench) {
  const { references, store, again } = await loaded(bench, { count: 1, status: 'needs_response', ageDays: 100 })
  await bench.create({ count: 1, status: 'won', ageDays: 0.5 })
  await again()
  const [reference = ''] = references
  await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
  await again()
  assert.equal(store.rows.get(reference)?.facts.pspStatus, 'lost')
}
