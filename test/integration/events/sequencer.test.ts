import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { startSequencer } from '../../../webhooks/sequencer.ts'
import { byOwner } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'
import { change, random } from './writers.ts'

let stage: Stage
let at: Place
const log = { warn() {} }
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())
/** Everything that waits for a position gets one. */
const settle = (db = stage.db) =>
  until('nothing waits for a position', async () => {
    await sequence(db)
    return (await sequencerLag(db)) === 0
  })
beforeEach(() => settle())

async function events(after = 0n) {
  const { rows } = await sql<{
    position: bigint
    n: number
    chargeback: string
    row: bigint
    type: string
    last: bigint
  }>`
    select e.position, (t.after ->> 'n')::int as n, e.chargeback_id as chargeback, e.timeline_from as row, e.type,
      e.timeline_to as last
    from event e left join timeline_event t on t.timeline_event_id = e.timeline_from
    where e.position > ${after} order by e.position`.execute(stage.db)
  return rows
}
const position = async () =>
  (await stage.db.selectFrom('event_state').select('position').executeTakeFirstOrThrow()).position
const note = (chargebackId: string, what = 'details changed') =>
  stage.db
    .insertInto('timeline_event')
    .values({ merchant_uuid: at.merchantUuid, chargeback_id: chargebackId, source: 'test', what })
    .returning('timeline_event_id as id')
    .executeTakeFirstOrThrow()

describe('positions', () => {
  test('writers, rollbacks, two sequencers and a reader: none lost, none twice, in order, without gaps', async () => {
    const chargebacks = await Promise.all(Array.from({ length: 6 }, () => addChargeback(stage.db, at)))
    const start = await position()
    const db = connect(stage.database.url, { scope: 'system', max: 12 })
    const other = connect(stage.database.url, { scope: 'system', max: 2 })
    const read: Awaited<ReturnType<typeof events>> = []
    let written = 0
    let isWriting = true
    const reading = (async () => {
      for (let after = start; isWriting; after = read.at(-1)?.position ?? after) read.push(...(await events(after)))
    })()
    {
      await using _one = startSequencer({ db: stage.db, log })
      await using _two = startSequencer({ db: other, log })
      const writers = Array.from({ length: 8 }, async (_, seed) => {
        const next = random(seed)
        for (let n = 0; n < 25; n++) {
          const rows = await change(db, chargebacks, next)
          written += rows
        }
      })
      await Promise.all(writers)
    }
    await settle()
    isWriting = false
    await reading
    read.push(...(await events(read.at(-1)?.position ?? start)))
    await Promise.all([db.destroy(), other.destroy()])

    expect(written).toBeGreaterThan(200)
    expect(read.length).toBe(written)
    expect(read.map((one) => one.position)).toEqual(read.map((_, n) => start + BigInt(n) + 1n))
    expect(new Set(read.map((one) => one.row)).size).toBe(written)
    for (const id of chargebacks) {
      const own = read.filter((one) => one.chargeback === id)
      expect(own.map((one) => one.n)).toEqual(own.map((_, n) => n))
    }
  })

  test('a change whose transaction began first and committed last comes last', async () => {
    const [id, blocker] = [await addChargeback(stage.db, at), await addChargeback(stage.db, at)]
    const start = await position()
    let first: bigint[] = []
    const early = await stage.db.pool.connect()
    await early.query(`begin; select set_config('recoup.scope', 'system', true); select pg_current_xact_id()`)
    // It keeps the horizon between the two others.
    await stage.db.transaction().execute(async (between) => {
      await sql`update chargeback set arn = '1' where id = ${blocker}`.execute(between)
      await note(id)
      await early.query(`insert into timeline_event (merchant_uuid, chargeback_id, source, what)
        select merchant_uuid, id, 'test', 'reason changed' from chargeback where id = '${id}' for update`)
      await early.query('commit')
      await until('the first is sequenced', () => sequence(stage.db), { holds: ({ events }) => events > 0 })
      first = (await events(start)).map((one) => one.row)
    })
    early.release()
    await settle()
    const all = (await events(start)).map((one) => one.row)
    expect(first.length).toBe(2)
    expect(all).toEqual(first)
    expect(all).toEqual([...all].sort((a, b) => Number(a - b)))
  })

  test('more rows than a batch: one transaction is one event for each chargeback', async () => {
    const ids = [await addChargeback(stage.db, at), await addChargeback(stage.db, at)]
    const start = await position()
    await sql`
      insert into timeline_event (merchant_uuid, chargeback_id, source, what)
      select ${at.merchantUuid}, (${ids}::uuid[])[1 + n % 2], 'test', 'details changed' from generate_series(1, 1200) n`.execute(
      stage.db,
    )
    for (const id of ids) await note(id)
    // A transaction of another test's database in this cluster delays it.
    const first = await until('a batch', () => sequence(stage.db), { holds: ({ events: found }) => found > 0 })
    expect(first).toEqual({ events: 2, hasMore: true })
    await settle()
    expect((await events(start)).length).toBe(4)
  })

  test('what a transaction that still runs has written has no position yet, and the lag shows it', async () => {
    const id = await addChargeback(stage.db, at)
    const start = await position()
    await stage.db.transaction().execute(async (trx) => {
      await sql`select pg_current_xact_id()`.execute(trx)
      await note(id)
      await sequence(stage.db)
      expect(await events(start)).toEqual([])
      await until('the lag shows it', () => sequencerLag(stage.db))
    })
    await settle()
    expect((await events(start)).length).toBe(1)
    expect(await sequencerLag(stage.db)).toBe(0)
  })
})

describe('a database that was restored', () => {
  // The embedded Postgres has no pg_dump: the identifiers that the state keeps are changed instead.
  test('after a failover positions go on a million further, and nothing is lost or repeated', async () => {
    const id = await addChargeback(stage.db, at)
    await note(id)
    await settle()
    const start = await position()
    await stage.db.updateTable('event_state').set({ wal_timeline: '00000000' }).execute()
    await note(id)
    await settle()
    await note(id)
    await settle()
    expect((await events(start)).map((one) => one.position)).toEqual([start + 1_000_001n, start + 1_000_002n])
  })

  test('in another cluster transaction ids begin anew: what had no position gets one, nothing gets two', async () => {
    const id = await addChargeback(stage.db, at)
    const [known, held] = [await note(id), await note(id)]
    await settle()
    const start = await position()
    const fresh = await note(id)
    // As in a copy: ids of the former cluster are far ahead, and one row of a transaction that ended late is left.
    await byOwner(
      stage.database.url,
      sql`alter table timeline_event disable trigger timeline_append_only;
        update timeline_event set xid = (xid::text::bigint + 1000000)::text::xid8 where xid is not null;
        alter table timeline_event enable trigger timeline_append_only`,
    )
    await byOwner(stage.database.url, sql`delete from event where timeline_from = ${held.id}`)
    await stage.db
      .updateTable('event_state')
      .set({
        system_identifier: 1n,
        next_xid: sql`(select xid from timeline_event where timeline_event_id = ${held.id})`,
      })
      .execute()
    const written = await note(id)
    await settle()
    const rows = (await events(start)).map((one) => one.row)
    expect(rows).toEqual([held.id, fresh.id, written.id])
    expect(rows).not.toContain(known.id)
    expect((await events(start))[0]?.position).toBe(start + 1_000_001n)

    // When the new cluster's ids reach those of the former one, its rows are not taken for new.
    await stage.db.updateTable('event_state').set({ next_xid: '0' }).execute()
    await note(id)
    await settle()
    expect((await events(start)).length).toBe(4)
  })
})

describe('the transaction of the sequencer', () => {
  test('has the positions just written, and what it adds fails together with them', async () => {
    const id = await addChargeback(stage.db, at)
    const start = await position()
    await note(id)
    await until('it is ready', () => sequencerLag(stage.db))
    const addition = () => Promise.reject(new Error('fan-out'))
    const failed = await until('it fails', () =>
      sequence(stage.db, addition).then(
        () => null,
        (error: Error) => error.message,
      ),
    )
    expect(failed).toBe('fan-out')
    expect(await position()).toBe(start)
    const seen: unknown[] = []
    await until('it is sequenced', () => sequence(stage.db, async (_, positions) => void seen.push(positions)), {
      holds: ({ events }) => events === 1,
    })
    expect(seen).toEqual([{ after: start, to: start + 1n }])
  })
})
