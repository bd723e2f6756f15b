import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { type ConnectedDatabase, connect } from '../../../db/core/connect.ts'
import { migrate } from '../../../db/core/migrate.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { readEvents } from '../../../db/events/log.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { EVENT_TYPES } from '../../../domain/events/catalogue.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { asApp } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration } from '../../integration/api/chargebacks/chargeback-rows.ts'
import { copyRows, openClusters } from './clusters.ts'

const LOST_POSITIONS = 1_000_000n

/** A migrated database in the server. @returns its address for the owner */
async function makeDatabase(serverUrl: string): Promise<string> {
  const admin = new pg.Client(serverUrl)
  await admin.connect()
  await admin.query('create database recoup')
  await admin.end()
  const url = serverUrl.replace(/\/postgres$/, '/recoup')
  const db = connect(url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  await migrate(db, 'sandbox', asApp(url)).finally(() => db.destroy())
  return url
}

/** A merchant's log in the database of a server, with the role of API and worker. */
function openLog(ownerUrl: string) {
  const db: ConnectedDatabase = connect(asApp(ownerUrl), { scope: 'system', max: 4 })
  const settle = () =>
    until('nothing waits for a position', async () => {
      await sequence(db)
      return (await sequencerLag(db)) === 0
    })
  return {
    db,
    settle,
    write: async (chargebackId: string, count: number) => {
      for (let n = 0; n < count; n++)
        await sql`
          insert into timeline_event (merchant_uuid, chargeback_id, source, what)
          select merchant_uuid, id, 'test', 'details changed' from chargeback where id = ${chargebackId}`.execute(db)
    },
    /** As `GET /v1/events` reads from a cursor on, all pages. */
    async read(merchantUuid: string, after: bigint | null) {
      const all: { position: bigint; eventId: string; row: bigint | null }[] = []
      for (let from = after; ; ) {
        const page = await readEvents(db, { merchantUuid, types: EVENT_TYPES, after: from, limit: 10 })
        expect(page.isExpired).toBe(false)
        all.push(...page.events.map(({ position, eventId, timelineFrom: row }) => ({ position, eventId, row })))
        from = page.next
        if (!page.hasMore) return all
      }
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

async function aMerchant(db: ConnectedDatabase) {
  const ring = readKeyRing(`test:${randomBytes(32).toString('base64')}`)
  const { accountId } = await createAccount(db, { name: 'Acme' })
  const contact = { email: 'owner@example.com', firstName: 'Olga', lastName: 'Owner' }
  const merchant = { accountId, merchantName: 'Shop', websiteUrl: 'https://example.com', contact }
  const { merchantUuid } = await createMerchant(db, ring, merchant)
  const integrationId = await addIntegration(db, ring, merchantUuid)
  return { merchantUuid, chargebackId: await addChargeback(db, { merchantUuid, integrationId }) }
}

const timelineRows = async (db: ConnectedDatabase, chargebackId: string) =>
  (
    await db
      .selectFrom('timeline_event')
      .select('timeline_event_id as id')
      .where('chargeback_id', '=', chargebackId)
      .orderBy('timeline_event_id')
      .execute()
  ).map(({ id }) => BigInt(id))

test('a standby that lost the last changes is promoted: known events keep id and position, no position comes again, the cursor goes on', async () => {
  await using clusters = openClusters()
  const primary = await clusters.start('primary')
  const url = await makeDatabase(primary.url)
  await using before = openLog(url)
  const { merchantUuid, chargebackId } = await aMerchant(before.db)
  await before.write(chargebackId, 25)
  await before.settle()

  const standby = await clusters.follow('primary', 'standby')
  const other = new pg.Client(standby.url)
  await other.connect()
  const { rows } = await sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`.execute(before.db)
  await until('the standby has everything', async () => {
    const replayed = await other.query('select pg_last_wal_replay_lsn() >= $1::pg_lsn as has', [rows[0]?.lsn])
    return replayed.rows[0].has
  })
  await other.query(`alter system set primary_conninfo = ''`)
  await other.query('select pg_reload_conf()')
  await until('it follows nobody', async () => {
    const receivers = await other.query('select count(*)::int as count from pg_stat_wal_receiver')
    return receivers.rows[0].count === 0
  })
  const known = await before.read(merchantUuid, null)
  expect(known).toHaveLength(25)
  // Consumers read these; the standby never gets them.
  await before.write(chargebackId, 7)
  await before.settle()
  const lost = (await before.read(merchantUuid, known.at(-1)?.position ?? 0n)).map(({ position }) => position)
  expect(lost).toHaveLength(7)
  await primary.stop()

  await other.query('select pg_promote(true, 60)')
  await other.end()
  await using after = openLog(standby.url.replace(/\/postgres$/, '/recoup'))
  await after.write(chargebackId, 5)
  await after.settle()
  const all = await after.read(merchantUuid, null)
  expect(all.slice(0, 25)).toEqual(known)
  expect(all.map(({ row }) => row)).toEqual(await timelineRows(after.db, chargebackId))
  const fresh = all.slice(25)
  expect(fresh).toHaveLength(5)
  expect(fresh.every(({ position }) => position > (lost.at(-1) as bigint))).toBe(true)
  expect(fresh[0]?.position).toBe((known.at(-1)?.position as bigint) + LOST_POSITIONS + 1n)
  // A cursor that had read the lost events, and one that had not.
  for (const cursor of [lost.at(-1) as bigint, known.at(-1)?.position as bigint])
    expect(await after.read(merchantUuid, cursor)).toEqual(fresh)
}, 240_000)

test('a dump is restored into a new cluster, whose transaction ids begin anew: ids and positions are the same, and no change is lost', async () => {
  await using clusters = openClusters()
  const old = await clusters.start('old')
  const url = await makeDatabase(old.url)
  await using before = openLog(url)
  const { merchantUuid, chargebackId } = await aMerchant(before.db)
  await before.write(chargebackId, 25)
  await before.settle()
  const known = await before.read(merchantUuid, null)
  // In the dump, but without a position.
  await before.write(chargebackId, 4)

  const fresh = await clusters.start('new')
  const restored = await makeDatabase(fresh.url)
  await copyRows(url, restored)
  await old.stop()
  await using after = openLog(restored)
  await after.write(chargebackId, 3)
  await after.settle()
  const all = await after.read(merchantUuid, null)
  expect(all.slice(0, 25)).toEqual(known)
  expect(all.map(({ row }) => row)).toEqual(await timelineRows(after.db, chargebackId))
  expect(all).toHaveLength(32)
  const added = all.slice(25)
  expect(added[0]?.position).toBe((known.at(-1)?.position as bigint) + LOST_POSITIONS + 1n)
  expect(await after.read(merchantUuid, known.at(-1)?.position as bigint)).toEqual(added)
  // Later transactions go on from there: nothing comes twice.
  await after.write(chargebackId, 2)
  await after.settle()
  expect(await after.read(merchantUuid, added.at(-1)?.position as bigint)).toHaveLength(2)
  expect(new Set((await after.read(merchantUuid, null)).map(({ eventId }) => eventId)).size).toBe(34)
}, 240_000)
