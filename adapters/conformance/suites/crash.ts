import assert from 'node:assert/strict'
import { type PspFetch, pspFetch } from '../../shared/psp-fetch.ts'
import type { Bench } from '../bench.ts'
import { must, type Suite } from '../check.ts'
import { emptyStore, ingest, type KillPoints } from '../store.ts'

class Killed extends Error {}

/** After a crash at any call or store, the objects stored before and after are complete together. */
export const crashSuite: Suite = {
  name: 'crash',
  checks: [
    { name: 'killed after any HTTP call', run: afterCalls },
    { name: 'killed before any store', run: (bench) => aroundStores(bench, 'beforeStore') },
    { name: 'killed after any store', run: (bench) => aroundStores(bench, 'afterStore') },
    { name: 'killed again and again, with new disputes in between', run: repeatedly },
  ],
}

/** The first, a middle and the last page. */
const PAGES = 3

async function seeded(bench: Bench): Promise<string[]> {
  const size = bench.subject.definition.limits.pageSize
  return (await bench.create({ count: size * (PAGES - 1) + 5 })).sort()
}

async function afterCalls(bench: Bench) {
  const all = await seeded(bench)
  const { definition } = bench.subject
  for (let survives = 0; survives < PAGES; survives++) {
    const store = emptyStore(definition, bench.now())
    let calls = 0
    const killing: PspFetch = async (url, request) => {
      const answer = await pspFetch(url, request)
      if (++calls > survives) throw new Killed()
      return answer
    }
    await ingest(definition, bench.connect({ fetch: killing }), store).catch(() => undefined)
    must(store.rows.size < all.length, 'the kill came too late to show anything')
    await ingest(definition, bench.connect(), store)
    assert.deepEqual([...store.rows.keys()].sort(), all, `lost after call ${survives + 1}`)
  }
}

async function aroundStores(bench: Bench, moment: keyof KillPoints) {
  const all = await seeded(bench)
  const { definition } = bench.subject
  for (let survives = 0; survives < PAGES; survives++) {
    const store = emptyStore(definition, bench.now())
    let stores = 0
    const kill = () => {
      if (stores++ === survives) throw new Killed()
    }
    await assert.rejects(ingest(definition, bench.connect(), store, { [moment]: kill }), Killed)
    await ingest(definition, bench.connect(), store)
    assert.deepEqual([...store.rows.keys()].sort(), all, `lost around store ${survives + 1}`)
  }
}

async function repeatedly(bench: Bench) {
  const all = new Set(await seeded(bench))
  const { definition } = bench.subject
  const store = emptyStore(definition, bench.now())
  for (let round = 0; round < 6; round++) {
    const kill = () => {
      throw new Killed()
    }
    await assert.rejects(ingest(definition, bench.connect(), store, { afterStore: kill }), Killed)
    for (const reference of await bench.create({ count: 2 })) all.add(reference)
  }
  await ingest(definition, bench.connect(), store)
  await ingest(definition, bench.connect(), store)
  assert.deepEqual([...store.rows.keys()].sort(), [...all].sort())
}
