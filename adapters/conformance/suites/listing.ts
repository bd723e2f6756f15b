import assert from 'node:assert/strict'
import type { Bench } from '../bench.ts'
import { type Check, must, type Suite, skip } from '../check.ts'
import { emptyStore, ingest } from '../store.ts'

/** Discovery returns every dispute once, in any order. */
export const listingSuite: Suite = {
  name: 'listing',
  checks: [
    { name: 'three pages give every dispute once, with its bytes', run: threePages },
    { name: 'nothing there is an empty list', run: nothing },
    { name: 'ties on the same instant across a page are kept apart', run: ties },
    { name: 'order makes no difference', run: orderIndependent },
    { name: 'a page that is exactly full, or one over', run: fullPages },
    { name: 'windows read at the same time give every dispute once', run: windows },
    { name: 'a cursor in the future reads on from now', run: future },
    { name: 'a cursor of an older version is migrated or begins again', run: older },
    { name: 'a dispute that vanishes between pages loses no other', run: vanishing },
    unsupported('an empty page in the middle is passed'),
    unsupported('a cap on pages is reached'),
    unsupported('a window that is too large is halved'),
  ],
}

/** A check for PSPs with such a limit; the subject says why this one has none. */
function unsupported(name: string): Check {
  return {
    name,
    run: async () => skip('this kit has no simulator with such a limit yet'),
  }
}

async function threePages(bench: Bench) {
  const size = bench.subject.definition.limits.pageSize
  const references = await bench.create({ count: size * 2 + 7 })
  const { definition } = bench.subject
  const store = emptyStore(definition, bench.now())
  const done = await ingest(definition, bench.connect(), store)
  // Pages of an inbox count notifications, of which a dispute has several.
  if (definition.capabilities.listing === 'inbox') must(done.pages >= 3, `read ${done.pages} pages`)
  else assert.equal(done.pages, 3)
  assert.equal(done.handed, references.length)
  assert.deepEqual([...store.rows.keys()].sort(), references.sort())
  const adapter = bench.connect()
  for (const reference of references.slice(0, 3)) {
    const { text } = await adapter.fetchDispute(reference)
    assert.deepEqual(JSON.parse(store.rows.get(reference)?.text ?? ''), JSON.parse(text))
  }
}

async function nothing(bench: Bench) {
  const { definition } = bench.subject
  const store = emptyStore(definition, bench.now())
  const done = await ingest(definition, bench.connect(), store)
  assert.deepEqual({ ...done, pages: done.pages > 0 }, { pages: true, handed: 0, created: [], changed: [] })
}

async function ties(bench: Bench) {
  const size = bench.subject.definition.limits.pageSize
  await bench.create({ count: 1 })
  // All in the same second: only the reference distinguishes them.
  const instant = { ageDays: 1 / 86_400 }
  await bench.create({ count: size, ...instant })
  await bench.create({ count: size, ...instant })
  await assertComplete(bench)
}

async function orderIndependent(bench: Bench) {
  for (const ageDays of [3, 170, 40, 1]) await bench.create({ count: 40, ageDays })
  await assertComplete(bench)
}

async function fullPages(bench: Bench) {
  await bench.create({ count: bench.subject.definition.limits.pageSize })
  await assertComplete(bench)
  await bench.create({ count: 1 })
  await assertComplete(bench)
}

async function windows(bench: Bench) {
  const { definition } = bench.subject
  const { cursor: cursors, limits } = definition
  if (!cursors.windows) return skip('its list has one window')
  const references: string[] = []
  for (let part = 0; part < 30; part++)
    references.push(...(await bench.create({ count: limits.pageSize, ageDays: 3 + part * 5 })))
  const adapter = bench.connect()
  const returned: (string | null)[] = []
  let most = 0
  let cursor = cursors.initial(bench.now())
  for (let hasMore = true; hasMore; ) {
    const names = cursors.windows(cursor)
    most = Math.max(most, names.length)
    const requests = names.length === 0 ? [{}] : names.map((window) => ({ window }))
    const pages = await Promise.all(requests.map((one) => adapter.listDisputes({ cursor, oldestOpen: null, ...one })))
    // In the reverse order of the requests, because a page may only move its own window.
    for (const page of pages.reverse()) {
      returned.push(...page.items.map(({ reference }) => reference))
      const moved = page.advance?.(cursor) ?? page.cursor
      cursor = cursors.schema.parse(JSON.parse(JSON.stringify(moved)))
    }
    hasMore = cursors.windows(cursor).length > 0
  }
  must(most > 1, 'a list of thirty pages has one window')
  assert.deepEqual(returned.sort(), references.sort())
}

async function assertComplete(bench: Bench) {
  const { definition } = bench.subject
  const store = emptyStore(definition, bench.now())
  await ingest(definition, bench.connect(), store)
  const all = bench.running.engine.account(bench.account).disputes.all()
  assert.deepEqual([...store.rows.keys()].sort(), all.map((record) => record.reference).sort())
}

async function future(bench: Bench) {
  const { definition } = bench.subject
  await bench.create({ count: 5 })
  const store = emptyStore(definition, bench.now())
  // The clock was a year ahead during the first load.
  const ahead = () => new Date(bench.now().getTime() + 365 * 86_400_000)
  await ingest(definition, bench.connect({ now: ahead }), store)
  const [late] = await bench.create({ count: 1, ageDays: 0.01 })
  const done = await ingest(definition, bench.connect(), store)
  must(done.created.includes(late ?? ''), 'the dispute created after it was not found')
}

async function older({ subject, now }: Bench) {
  const { cursor } = subject.definition
  for (const value of [{}, null, 'text', { from: 1 }]) {
    for (const version of [0, cursor.version, cursor.version + 1]) {
      const migrated = cursor.migrate({ version, value })
      cursor.schema.parse(migrated ?? cursor.initial(now()))
    }
  }
}

async function vanishing(bench: Bench) {
  const { definition } = bench.subject
  const size = definition.limits.pageSize
  const references = await bench.create({ count: size + 20 })
  const store = emptyStore(definition, bench.now())
  let gone: string | undefined
  await ingest(definition, bench.connect(), store, {
    afterStore() {
      if (gone !== undefined) return
      gone = [...store.rows.keys()].at(-1)
      const record = bench.running.engine.find(gone ?? '')
      if (record) bench.running.engine.remove(record)
    },
  })
  must(gone !== undefined, 'nothing vanished')
  for (const reference of references) must(store.rows.has(reference), `${reference} was lost`)
}
