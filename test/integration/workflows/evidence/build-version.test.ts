import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outdatedPackages } from '../../../../db/packages/wanted.ts'
import { BUILD_VERSION } from '../../../../domain/evidence/package/build-version.ts'
import { until } from '../../../harness/until.ts'
import { type Fixture, openFixture } from './package-fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function built(): Promise<{ id: string; fileId: string }> {
  const { id } = await fixture.building()
  expect(await fixture.build()).toMatchObject({ [id]: 'built' })
  return { id, fileId: (await fixture.draft(id)).body.fileId }
}
/** As a former version of the build left it. */
const madeBy = async (id: string, version: number | null) => {
  await sql`update evidence_package set build_version = ${version}, digest = 'of a former build' where chargeback_id = ${id}`.execute(
    fixture.stage.db,
  )
}
const outdated = async (limit = 100) =>
  (await outdatedPackages(fixture.stage.db, limit)).map(({ chargebackId }) => chargebackId)
const build = (chargebackId: string) => fixture.run(fixture.activities.buildPackage, { chargebackId })
const versionOf = async (id: string) =>
  (
    await sql<{ n: number | null }>`select package_build as n from chargeback where id = ${id}`.execute(
      fixture.stage.db,
    )
  ).rows[0]?.n

describe('a package that a former version of the build made', () => {
  test('is built again without being stale meanwhile, and keeps its file when it says the same', async () => {
    const { id, fileId } = await built()
    expect(await versionOf(id)).toBe(BUILD_VERSION)
    expect(await outdated()).not.toContain(id)
    await madeBy(id, BUILD_VERSION - 1)
    expect(await outdated()).toContain(id)
    expect((await fixture.draft(id)).body).toMatchObject({ stale: false, fileId })
    expect(await build(id)).toEqual({ result: 'unchanged' })
    expect((await fixture.draft(id)).body).toMatchObject({ version: 1, fileId, stale: false })
    expect(await fixture.packages(id)).toMatchObject([{ build_version: BUILD_VERSION, state: 'current' }])
    expect(await outdated()).not.toContain(id)
    expect(await build(id)).toEqual({ result: 'unwanted' })
  })

  test('is superseded when the pages differ, also if a process of the version before made it', async () => {
    const { id, fileId } = await built()
    await madeBy(id, null)
    expect(await versionOf(id)).toBeNull()
    await sql`update file set sha256 = decode('00', 'hex') where file_id = ${fileId}`.execute(fixture.stage.db)
    expect(await outdated()).toContain(id)
    expect(await build(id)).toEqual({ result: 'built' })
    expect(await fixture.packages(id)).toMatchObject([{ state: 'superseded' }, { build_version: BUILD_VERSION }])
    expect((await fixture.draft(id)).body.fileId).not.toBe(fileId)
  })

  test('stays as it was reviewed once it is frozen, also when its submission failed', async () => {
    const { id, fileId } = await built()
    const { body } = await fixture.submit(id, fileId)
    await madeBy(id, BUILD_VERSION - 1)
    expect(await outdated()).not.toContain(id)
    await sql`update command set status = 'failed' where command_id = ${body.id}`.execute(fixture.stage.db)
    expect(await outdated()).not.toContain(id)
    expect(await build(id)).toEqual({ result: 'unwanted' })
    expect(await fixture.packages(id)).toMatchObject([{ state: 'frozen', file_id: fileId }])
  })

  test('comes after those of older builds, and each run of the sweep takes a few', async () => {
    const [newer, older] = [await built(), await built()]
    await madeBy(newer.id, BUILD_VERSION - 1)
    await madeBy(older.id, BUILD_VERSION - 2)
    expect(await outdated(1)).toEqual([older.id])
    expect(await outdated(2)).toEqual([older.id, newer.id])
    await build(older.id)
    await build(newer.id)
  })

  test('is not tried again when it can’t be built any more', async () => {
    const { id, fileId } = await built()
    const refuse = () => fixture.run(fixture.activities.refusePackage, { chargebackId: id })
    await madeBy(id, BUILD_VERSION - 1)
    expect(await refuse()).toEqual({ result: 'unchanged' })
    expect((await fixture.draft(id)).body).toMatchObject({ state: 'current', fileId })
    expect(await outdated()).not.toContain(id)
    await fixture.send(id, { shippingCarrier: 'UPS' })
    expect(await refuse()).toEqual({ result: 'refused' })
    await madeBy(id, BUILD_VERSION - 1)
    await sql`update evidence_package set digest = 'failed' where chargeback_id = ${id} and state = 'refused'`.execute(
      fixture.stage.db,
    )
    expect(await refuse()).toEqual({ result: 'unchanged' })
    expect(await outdated()).not.toContain(id)
  })
})

test('a build heartbeats, so that a dead worker is noticed long before the build times out', async () => {
  const { id } = await fixture.building()
  const { renderer } = fixture.deps
  fixture.heartbeats.length = 0
  const slow = {
    ...renderer,
    run: async (job: never) => {
      await until('it has shown twice that it lives', () => fixture.heartbeats.length >= 2)
      return renderer.run(job)
    },
  }
  Object.assign(fixture.deps, { renderer: slow })
  const info = { heartbeatTimeoutMs: 750 }
  expect(await fixture.run(fixture.activities.buildPackage, { chargebackId: id }, info)).toEqual({ result: 'built' })
  Object.assign(fixture.deps, { renderer })
})
