import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeDataPoints } from '../../../db/chargebacks/client-data.ts'
import { resealAll } from '../../../db/core/reseal.ts'
import { seal, sealContext } from '../../../db/core/seal.ts'
import { SEALED_COLUMNS } from '../../../db/core/sealed-columns.ts'
import { countByKey, noteKeys } from '../../../db/core/sealing-keys.ts'
import { type Fixture, openFixture } from '../removal/fixture.ts'
import { placeEverywhere } from '../removal/persons.ts'

let fixture: Fixture
let placed: Awaited<ReturnType<typeof placeEverywhere>>
beforeAll(async () => {
  fixture = await openFixture()
  placed = await placeEverywhere(fixture)
}, 120_000)
afterAll(() => fixture[Symbol.asyncDispose]())

/** The key ring of all processes of the fixture. */
const ring = () => fixture.stage.ring as { current: string; keys: Map<string, Buffer> }
/** Like a restart with a new key first in the ring. */
function addKey(keyId: string): void {
  ring().keys.set(keyId, randomBytes(32))
  ring().current = keyId
}
const counts = async () => Object.fromEntries(await countByKey(fixture.stage.db))

describe('re-sealing', () => {
  test('knows every sealed column of the schema', async () => {
    const { rows } = await sql<{ place: string }>`
      select table_name || '.' || column_name as place from information_schema.columns
      where table_schema = 'public' and column_name ~ '(^|_)sealed$'`.execute(fixture.stage.db)
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    expect(known.toSorted()).toEqual(rows.map(({ place }) => place).toSorted())
  })

  test('seals every value of the old key with the new one, so that the old one can be removed', async () => {
    await noteKeys(fixture.stage.db, ring())
    const before = await fixture.placesOf(placed.jane)
    const { test: all = 0 } = await counts()
    expect(all).toBeGreaterThan(30)
    addKey('next')
    const done = await resealAll(fixture.stage.db, ring())
    expect(done).toEqual({ resealed: all, unreadable: 0 })
    expect(await resealAll(fixture.stage.db, ring())).toEqual({ resealed: 0, unreadable: 0 })
    ring().keys.delete('test')
    await noteKeys(fixture.stage.db, ring())
    expect(await counts()).toEqual({ next: expect.any(Number) })
    // The search opens every sealed value.
    expect(await fixture.placesOf(placed.jane)).toEqual(before)
    expect((await fixture.call('GET', `/chargebacks/${placed.chargebackId}`)).status).toBe(200)
  })

  test('skips a locked row without waiting, and keeps a value that no key opens', async () => {
    const { db, merchantUuid } = fixture.stage
    addKey('third')
    const unreadable = seal({ current: 'next', keys: ring().keys }, 'x', sealContext.file('other', 'place'))
    await sql`insert into quarantine (integration_id, hash, reason, sealed, translation_version)
      values (${fixture.integrationId}, 'h', 'broken', ${unreadable}, 1)`.execute(db)
    await db.transaction().execute(async (trx) => {
      await sql`select 1 from merchant where merchant_uuid = ${merchantUuid} for update`.execute(trx)
      expect((await resealAll(db, ring())).unreadable).toBe(1)
    })
    expect(await counts()).toMatchObject({ next: 2 })
    expect(await resealAll(db, ring())).toEqual({ resealed: 1, unreadable: 1 })
    await sql`delete from quarantine where reason = 'broken'`.execute(db)
    expect(await counts()).toEqual({ third: expect.any(Number) })
    ring().keys.delete('next')
  })

  test('does not overwrite what is stored meanwhile', async () => {
    const { db, merchantUuid } = fixture.stage
    const { id: chargebackId } = await fixture.chargeback(await bystander())
    addKey('fourth')
    let writing = true
    const write = async () => {
      let last = 0
      while (writing) {
        last++
        const points = { seen: last }
        await changeDataPoints(db, ring(), { merchantUuid, chargebackId, points, credentialId: 'w', now: new Date() })
      }
      return last
    }
    const written = write()
    for (let round = 0; round < 5; round++) await resealAll(db, ring())
    writing = false
    const last = await written
    await resealAll(db, ring())
    const { rows } = await sql<{ sealed: string }>`
      select sealed from client_data where chargeback_id = ${chargebackId}`.execute(db)
    expect(rows[0]?.sealed).toMatch(/^v1\.fourth\./)
    const { openClientData } = await import('../../../db/chargebacks/chargeback-data.ts')
    expect(openClientData(ring(), chargebackId, rows[0]?.sealed as string)).toMatchObject({ seen: last })
    ring().keys.delete('third')
    expect(await counts()).toEqual({ fourth: expect.any(Number) })
  })

  test('keeps a person findable: three keys later everything is erased, in files, too', async () => {
    expect(await fixture.remove(placed.jane)).toBe(true)
    expect(await fixture.placesOf(placed.jane)).toEqual([])
    expect(await fixture.proof()).toMatchObject({ files: 4, transactions: 2, dataPoints: 1, alertComments: 1 })
  })
})

const bystander = async () => {
  const row = await fixture.stage.db
    .selectFrom('chargeback')
    .select('chargeback_id')
    .where('status', '=', 'waiting_for_data')
    .where('psp', '=', 'stripe')
    .executeTakeFirstOrThrow()
  return row.chargeback_id
}
