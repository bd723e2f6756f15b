import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openClientData } from '../../db/chargebacks/chargeback-data.ts'
import { changeDataPoints } from '../../db/chargebacks/client-data.ts'
import { readKeyRing, seal, sealContext } from '../../db/core/seal.ts'
import { countByKey } from '../../db/core/sealing-keys.ts'
import { scriptArguments } from '../../local/run-script.ts'
import { search } from '../harness/whole-database.ts'
import { addChargeback, type Place, stageWithIntegration } from '../integration/api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../integration/api/stage.ts'

const ROWS = 6_000
const next = `next:${randomBytes(32).toString('base64')}`
let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  const { db, ring } = stage
  const context = sealContext.rawObject(at.integrationId)
  for (let from = 0; from < ROWS; from += 2_000) {
    const references = Array.from({ length: 2_000 }, (_, n) => `du_${from + n}`)
    const sealed = references.map((id) => seal(ring, JSON.stringify({ id, email: `${id}@example.com` }), context))
    await sql`insert into raw_object (integration_id, kind, reference, sealed)
      select ${at.integrationId}, 'dispute', r, s from unnest(${references}::text[], ${sealed}::text[]) as u(r, s)`.execute(
      db,
    )
  }
}, 60_000)
afterAll(() => stage[Symbol.asyncDispose]())

const reseal = (): ChildProcess =>
  spawn(process.execPath, [...scriptArguments('cli/main.ts'), 'key', 'reseal', '--reason', 'Yearly.', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...{
        DATABASE_URL: stage.database.url,
        RECOUP_ENCRYPTION_KEYS: `${next},${stage.keys}`,
        RECOUP_OPERATOR: 'alice',
      },
    },
  })
const counts = async () => Object.fromEntries(await countByKey(stage.db))

/** Writes data points of three chargebacks over and over, with the key ring of a process that has restarted. */
function writers() {
  const ring = readKeyRing(`${next},${stage.keys}`)
  const state = { stopped: false, slowest: 0 }
  const write = async () => {
    const id = await addChargeback(stage.db, at)
    let seen = 0
    while (!state.stopped) {
      const started = performance.now()
      const given = { merchantUuid: at.merchantUuid, chargebackId: id, points: { seen: ++seen }, credentialId: 'w' }
      await changeDataPoints(stage.db, ring, { ...given, now: new Date() })
      state.slowest = Math.max(state.slowest, performance.now() - started)
      await sleep(20)
    }
    return { id, seen }
  }
  const done = Promise.all(Array.from({ length: 3 }, write))
  return {
    state,
    stop: () => {
      state.stopped = true
      return done
    },
  }
}

describe('key reseal, killed with -9 in the middle, next to writers', () => {
  test('continues where it stopped, loses nothing, and leaves nothing sealed with the old key', async () => {
    const { test: all = 0 } = await counts()
    expect(all).toBeGreaterThan(ROWS)
    const written = writers()
    const child = reseal()
    await once(child.stderr as NonNullable<typeof child.stderr>, 'data')
    // Its first line may be about one of the small tables.
    while (((await counts()).test ?? 0) > all - 500) expect(child.exitCode).toBeNull()
    child.kill('SIGKILL')
    await once(child, 'close')
    const { test: left = 0 } = await counts()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(all)
    const last = reseal()
    const [code] = await once(last, 'close')
    expect(code).toBe(0)
    const ends = await written.stop()
    expect(written.state.slowest).toBeLessThan(5_000)
    expect(await counts()).toEqual({ next: expect.any(Number) })

    // Opens every sealed value with the new key alone.
    const ring = readKeyRing(next)
    await search(stage.db, ring, ['nobody'])
    for (const { id, seen } of ends) {
      const { rows } = await sql<{ sealed: string }>`
        select sealed from client_data where chargeback_id = ${id}`.execute(stage.db)
      expect(openClientData(ring, id, rows[0]?.sealed as string)).toMatchObject({ seen })
    }
    const { rows } = await sql<{ hashed: number }>`
      select count(*)::int as hashed from raw_object where persons <> '{}'`.execute(stage.db)
    expect(rows).toEqual([{ hashed: ROWS }])
  }, 180_000)
})
