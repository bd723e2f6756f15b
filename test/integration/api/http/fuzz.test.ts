import { expect, it } from 'vitest'
import { clientsOf } from '../../../fuzz/pools.ts'
import { report } from '../../../fuzz/report.ts'
import { fuzz } from '../../../fuzz/run.ts'
import { toApp } from '../../../interface/requests.ts'
import { stubDrafts } from '../../../interface/resources.ts'
import { buildWorld } from '../../../interface/world.ts'
import { createStage } from '../stage.ts'

/** The same few requests in every run; `npm run fuzz` sends 10,000 others to a running process. */
const SEED = 20261121

it('responds to 600 generated requests as the API description says, and never with 500', async () => {
  await using stage = await createStage()
  stubDrafts(stage.deps)
  const send = toApp(stage.app)
  const world = await buildWorld(stage.db, stage.ring, send)
  const fuzzed = await fuzz({ send, seed: SEED, requests: 600, callers: clientsOf(world) })
  expect(fuzzed.faults.length, report(fuzzed, { seed: SEED, seconds: 0 })).toBe(0)
  const accepted = fuzzed.tallies.filter(({ answers }) => [...answers.keys()].some((status) => status < 300))
  expect(accepted.length, report(fuzzed, { seed: SEED, seconds: 0 })).toBeGreaterThan(fuzzed.tallies.length * 0.8)
})
