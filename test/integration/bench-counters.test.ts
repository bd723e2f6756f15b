import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pollCounts } from '../../bench/ours/counts.ts'
import { openPoller } from '../../bench/ours/poller.ts'
import { prepareBulk } from '../../bench/ours/recoup.ts'
import { serveBulk } from '../../bench/psp/bulk.ts'
import { openDatabases } from '../../bench/runner/databases.ts'
import { readGates } from '../../bench/runner/gates.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { testServers } from '../harness/servers.ts'
import { watchClient } from '../harness/statements.ts'
import { addChargeback, stageWithIntegration } from './api/chargebacks/chargeback-rows.ts'

/** The ceiling of a counter in gates.json, which `npm test` checks. */
const ceilingOf = (metric: string) => readGates().find((gate) => gate.metric === metric)?.ceiling ?? Number.NaN

/** Twenty pages, like --quick. The ceilings apply to this number. */
const COUNT = 2_000

describe('counters of ingestion', () => {
  let counts: ReturnType<typeof pollCounts>
  beforeAll(async () => {
    const psp = await serveBulk({ count: COUNT })
    await using databases = await openDatabases(testServers().postgresUrl)
    const { template, ring, integrationId, source } = await prepareBulk(databases)
    const options = { databaseUrl: template, ring: readKeyRing(ring), source, pspUrl: psp.url, integrationId }
    await using poller = openPoller(options)
    const load = await poller.poll()
    expect(load).toMatchObject({ rows: COUNT, created: COUNT, quarantined: 0 })
    psp.counters()
    const repoll = await poller.poll()
    expect(repoll).toMatchObject({ rows: COUNT, created: 0, changed: 0 })
    counts = pollCounts(load, repoll, psp.counters().requests)
    await psp.close()
  })

  test.each(['load', 'repoll', 'idle_requests'])('roundtrips.%s is no worse than its ceiling', (name) => {
    expect(counts[name]?.value).toBeLessThanOrEqual(ceilingOf(`roundtrips.${name}`))
  })
})

describe('counters of reading', () => {
  const made = stageWithIntegration()
  afterAll(async () => (await made).stage[Symbol.asyncDispose]())

  test('a list is two statements once its token and merchant are known: the rate limit and the page', async () => {
    const { stage, at } = await made
    await addChargeback(stage.db, at)
    const sent: string[] = []
    const watched = new WeakSet()
    // The pool's connections are open already.
    stage.db.pool.on('acquire', (client) => {
      if (!watched.has(client)) watchClient(client, (text) => void sent.push(text))
      watched.add(client)
    })
    const list = () => stage.call('GET', '/v1/chargebacks')
    await list()
    sent.length = 0
    await list()
    // Read once per half second, not per request.
    const own = sent.filter((text) => !/revocation_epoch|last_used_at/.test(text))
    expect(own.map((text) => text.trim().slice(0, 13))).toEqual(['with t as mat', 'select concat'])
  })
})
