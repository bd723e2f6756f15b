import assert from 'node:assert/strict'
import { MALFORMED_KINDS } from '../../../simulators/engine/control/bodies.ts'
import type { Bench } from '../bench.ts'
import { must, type Suite } from '../check.ts'
import { emptyStore, ingest } from '../store.ts'

/** A malformed object is quarantined visibly and affects nothing else. */
export const badObjectSuite: Suite = {
  name: 'bad object',
  checks: [
    ...MALFORMED_KINDS.map((kind) => ({
      name: `${kind}: the others are stored, it is kept as it came`,
      run: (bench: Bench) => oneBad(bench, kind),
    })),
    { name: 'repaired at the PSP, it is read within a week', run: repaired },
  ],
}

async function oneBad(bench: Bench, kind: (typeof MALFORMED_KINDS)[number]) {
  const { definition } = bench.subject
  const good = await bench.create({ count: 9 })
  await bench.create({ count: 1, malformed: kind })
  const store = emptyStore(definition, bench.now())
  await ingest(definition, bench.connect(), store)
  for (const reference of good) must(store.rows.has(reference), `${reference} was lost with it`)
  if (kind === 'status_unknown') {
    const odd = [...store.rows.values()].filter(({ facts }) => facts.pspStatus === 'unknown')
    assert.equal(odd.length, 1, 'an unknown status is no poison: it must be stored as unknown')
    return
  }
  assert.deepEqual([store.rows.size, store.quarantine.size], [9, 1])
  const [quarantined] = store.quarantine.values()
  must(
    quarantined && quarantined.reason.length > 0 && quarantined.text.length > 0,
    'quarantined without reason or bytes',
  )
}

async function repaired(bench: Bench) {
  const { definition } = bench.subject
  const [reference = ''] = await bench.create({ count: 1 })
  const record = bench.running.engine.find(reference)
  must(record, 'the simulator lost it')
  const sound = bench.running.engine.text(record)
  record.text = '"no object"'
  const store = emptyStore(definition, bench.now())
  await ingest(definition, bench.connect(), store)
  assert.deepEqual([store.rows.size, store.quarantine.size], [0, 1])
  record.text = sound
  await bench.control('POST', '/clock', { seconds: 7 * 86_400 + 1 })
  await ingest(definition, bench.connect(), store)
  must(store.rows.has(reference), 'it was not read again')
}
