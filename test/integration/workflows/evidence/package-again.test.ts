import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seal, sealContext } from '../../../../db/core/seal.ts'
import { openContent } from '../../../../db/packages/freezing.ts'
import { outdatedPackages, wantedPackages } from '../../../../db/packages/wanted.ts'
import { BUILD_VERSION } from '../../../../domain/evidence/package/build-version.ts'
import { FileKilled } from '../../../../files/refusals.ts'
import { type Fixture, openFixture } from './package-fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** A package that a former version of the build made. */
async function outdated(): Promise<{ id: string; fileId: string }> {
  const { id } = await fixture.building()
  expect(await fixture.build()).toMatchObject({ [id]: 'built' })
  await sql`update evidence_package set build_version = ${BUILD_VERSION - 1}, digest = 'of a former build'
    where chargeback_id = ${id}`.execute(fixture.stage.db)
  return { id, fileId: (await fixture.draft(id)).body.fileId }
}
/** Changes the stored sentences of its package, as if it had been built from other facts. */
async function misstate(id: string): Promise<void> {
  const { db, ring } = fixture.stage
  const packages = db.selectFrom('evidence_package').where('chargeback_id', '=', id)
  const { package_id, content_sealed } = await packages
    .select(['package_id', 'content_sealed'])
    .executeTakeFirstOrThrow()
  const content = openContent(ring, package_id, content_sealed)
  const statements = content?.statements.map((one) => (one.kept ? { ...one, text: `${one.text} Twice.` } : one))
  await db
    .updateTable('evidence_package')
    .set({
      content_sealed: seal(ring, JSON.stringify({ ...content, statements }), sealContext.evidencePackage(package_id)),
    })
    .where('package_id', '=', package_id)
    .execute()
}
const refuse = (chargebackId: string) => fixture.run(fixture.activities.refusePackage, { chargebackId })

test('a package is built again when the day has come of which it says that it is still to come', async () => {
  const expectedDeliveryDate = new Date(Date.now() + 3 * DAY_MS).toISOString()
  const { id } = await fixture.building({ deliveryDate: '', shippingDate: '', expectedDeliveryDate })
  await fixture.build()
  const said = async () => JSON.stringify((await fixture.draft(id)).body.statements)
  expect(await said()).toContain('The delivery is agreed for')
  expect(await fixture.wanted()).not.toContain(id)
  fixture.wait(3 * DAY_MS + MINUTE_MS)
  expect(await fixture.wanted()).toContain(id)
  await fixture.build()
  expect(await said()).not.toContain('The delivery is agreed for')
  expect(await fixture.wanted()).not.toContain(id)
  fixture.wait(-3 * DAY_MS - MINUTE_MS)
})

test('packages are built for the next due date first', async () => {
  const { db } = fixture.stage
  const [late, soon] = [await fixture.building(), await fixture.building()]
  for (const [id, days] of [
    [late.id, 9],
    [soon.id, 2],
  ] as const) {
    const dueDate = new Date(fixture.now().getTime() + days * DAY_MS)
    await db.updateTable('chargeback').set({ due_date: dueDate }).where('id', '=', id).execute()
  }
  const at = new Date(fixture.now().getTime() + MINUTE_MS)
  const next = async (limit: number) => (await wantedPackages(db, at, limit)).map(({ chargebackId }) => chargebackId)
  expect([await next(1), await next(50)]).toEqual([[soon.id], [soon.id, late.id]])
  await fixture.build()
})

test('a chargeback whose data cannot be read is postponed, keeps no other waiting, and is built once it can be', async () => {
  const { db } = fixture.stage
  const [broken, other] = [await fixture.building(), await fixture.building()]
  const data = () => db.updateTable('client_data').where('chargeback_id', '=', broken.id)
  const { sealed } = await db
    .selectFrom('client_data')
    .select('sealed')
    .where('chargeback_id', '=', broken.id)
    .executeTakeFirstOrThrow()
  await data().set({ sealed: 'v1.gone.AAAA.AAAA' }).execute()
  const build = fixture.run(fixture.activities.buildPackage, { chargebackId: broken.id })
  await expect(build).rejects.toThrow()
  expect(await refuse(broken.id)).toEqual({ result: 'postponed' })
  expect(await fixture.wanted()).not.toContain(broken.id)
  expect(await fixture.wanted()).toContain(other.id)
  expect(await fixture.build()).toMatchObject({ [other.id]: 'built' })
  fixture.wait(61 * MINUTE_MS)
  expect(await fixture.wanted()).toContain(broken.id)
  fixture.wait(-61 * MINUTE_MS)
  await data().set({ sealed }).execute()
  await fixture.send(broken.id, { shippingCarrier: 'UPS' })
  expect(await fixture.build()).toMatchObject({ [broken.id]: 'built' })
})

describe('a build without a change of data', () => {
  test('that fails leaves the package with a warning, and is tried again within the hour', async () => {
    const { id, fileId } = await outdated()
    for (const _ of [1, 2]) expect(await refuse(id)).toEqual({ result: 'unchanged' })
    expect((await fixture.draft(id)).body).toMatchObject({
      ...{ state: 'current', version: 1, fileId, stale: false },
      warnings: [expect.stringMatching(/^A later build failed, so this package stays: .* tried again within the hour/)],
    })
    const left = (await outdatedPackages(fixture.stage.db, 100)).map(({ chargebackId }) => chargebackId)
    expect([...left, ...(await fixture.wanted())]).not.toContain(id)
    fixture.wait(61 * MINUTE_MS)
    expect(await fixture.wanted()).toContain(id)
    fixture.wait(-61 * MINUTE_MS)
    await fixture.send(id, { shippingCarrier: 'UPS' })
    expect(await refuse(id)).toEqual({ result: 'refused' })
  })

  test('that succeeds after one that failed removes the warning', async () => {
    const { id } = await outdated()
    await refuse(id)
    fixture.wait(61 * MINUTE_MS)
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    fixture.wait(-61 * MINUTE_MS)
    expect((await fixture.draft(id)).body).toMatchObject({ state: 'current', version: 2, warnings: [] })
  })

  test('that fails replaces a package that says what no longer holds, and is tried again', async () => {
    const { id } = await outdated()
    await refuse(id)
    await misstate(id)
    expect(await refuse(id)).toEqual({ result: 'refused' })
    expect(await refuse(id)).toEqual({ result: 'unchanged' })
    fixture.wait(61 * MINUTE_MS)
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    fixture.wait(-61 * MINUTE_MS)
  })

  test('that can never succeed leaves the package with a warning, and is not repeated', async () => {
    const { id, fileId } = await outdated()
    let renders = 0
    const killed = () => {
      renders += 1
      return Promise.reject(new FileKilled('memory', true))
    }
    const again = () =>
      sql`update chargeback set package_build = ${BUILD_VERSION - 1} where id = ${id}`.execute(fixture.stage.db)
    for (const _ of [1, 2]) {
      await again()
      expect(await fixture.buildDuring(id, killed)).toEqual({ result: 'unchanged' })
    }
    expect(renders).toBe(1)
    expect((await fixture.draft(id)).body).toMatchObject({
      ...{ state: 'current', version: 1, fileId, stale: false },
      warnings: [expect.stringMatching(/^A later build failed, so this package stays: The package takes too long/)],
    })
    expect((await fixture.submit(id, fileId)).status).toBe(201)
  })

  test('that can never succeed replaces a package that says what no longer holds, or whose data has changed', async () => {
    const killed = () => Promise.reject(new FileKilled('memory', true))
    const untrue = await outdated()
    await misstate(untrue.id)
    expect(await fixture.buildDuring(untrue.id, killed)).toEqual({ result: 'refused' })
    const changed = await outdated()
    await fixture.send(changed.id, { shippingCarrier: 'UPS' })
    expect(await fixture.buildDuring(changed.id, killed)).toEqual({ result: 'refused' })
  })

  test('stores nothing over a package that was approved meanwhile', async () => {
    const { id, fileId } = await outdated()
    const approve = async () => expect((await fixture.submit(id, fileId)).status).toBe(201)
    expect(await fixture.buildDuring(id, approve)).toEqual({ result: 'changed' })
    expect(await fixture.packages(id)).toMatchObject([{ state: 'frozen', version: 1 }])
  })
})

test('a package of a former build whose data cannot be read is postponed, too', async () => {
  const { id } = await outdated()
  const { db } = fixture.stage
  await sql`update chargeback set package_build = ${BUILD_VERSION - 1} where id = ${id}`.execute(db)
  await db.updateTable('client_data').set({ sealed: 'v1.gone.AAAA.AAAA' }).where('chargeback_id', '=', id).execute()
  const left = async () => (await outdatedPackages(db, 100)).map(({ chargebackId }) => chargebackId)
  expect(await left()).toContain(id)
  expect(await refuse(id)).toEqual({ result: 'postponed' })
  expect([...(await left()), ...(await fixture.wanted())]).not.toContain(id)
})
