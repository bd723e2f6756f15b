import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRemoval } from '../../../db/erasure/removals.ts'
import { readBuildOrder } from '../../../db/packages/wanted.ts'
import { search } from '../../harness/whole-database.ts'
import { pdfOf } from '../workflows/commands/submission-fixture.ts'
import { type Fixture, openFixture } from '../workflows/evidence/package-fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const person = (name: string) => ({ email: `${name}@example.com`, firstName: name, lastName: 'Lovelace' })
const pointsOf = ({ email, firstName }: ReturnType<typeof person>) => ({
  transactionOrderEmail: email,
  customerName: `${firstName} Lovelace`,
  customerCommunication: [{ sent: '2026-03-07', from: email, body: 'They fit.' }],
})

async function request(who: ReturnType<typeof person>): Promise<string> {
  const { db, ring, merchantUuid, credentialId } = fixture.stage
  const { removalId } = await createRemoval(db, ring, { merchantUuid, credentialId, who })
  await fixture.run(fixture.activities.listErased, { removalId })
  return removalId
}
const pass = (removalId: string) => fixture.run(fixture.activities.eraseSubject, { removalId })
async function erase(removalId: string): Promise<void> {
  for (let passes = 0; passes < 6; passes++) {
    const { found, held } = await pass(removalId)
    if (found === 0 && held === 0) return
  }
  throw new Error('not erased after six passes')
}
const texts = async (id: string) => JSON.stringify((await fixture.draft(id)).body.statements ?? '')

describe('the erasure of a person', () => {
  test('before a build: the package says nothing of the person', async () => {
    const who = person('Ada')
    const { id } = await fixture.building(pointsOf(who))
    await erase(await request(who))
    await fixture.build()
    expect(await texts(id)).not.toContain('Lovelace')
  })

  test('after a build: PDF and text are gone at once, and what is left is built again', async () => {
    const who = person('Bea')
    const { id } = await fixture.building(pointsOf(who))
    await fixture.build()
    const { fileId } = (await fixture.draft(id)).body
    const removalId = await request(who)
    await erase(removalId)
    expect(await fixture.draft(id)).toMatchObject({ status: 404, body: { code: 'draft_not_ready' } })
    expect(await fixture.submit(id, fileId)).toMatchObject({ status: 400, body: { code: 'draft_changed' } })
    const [erased] = await fixture.packages(id)
    expect(erased).toMatchObject({ state: 'erased', content_sealed: null, persons: [] })
    const file = await fixture.stage.db.selectFrom('file').selectAll().where('file_id', '=', fileId).executeTakeFirst()
    expect(file?.content_sealed ?? null).toBeNull()
    expect((await fixture.timeline(id)).map(({ what }) => what)).toContain('evidence package erased')
    await fixture.build()
    expect(await texts(id)).not.toContain('Lovelace')
    expect(await search(fixture.stage.db, fixture.stage.ring, [who.email])).toEqual({
      [who.email]: ['removal.person_sealed'],
    })
  })

  test('during a build: what was read before is not stored', async () => {
    const who = person('Cleo')
    const { id } = await fixture.building(pointsOf(who))
    const order = await readBuildOrder(fixture.stage.db, id)
    expect(order).not.toBeNull()
    const removalId = await request(who)
    expect(await fixture.buildDuring(id, () => erase(removalId))).toEqual({ result: 'changed' })
    expect(await fixture.packages(id)).toEqual([])
  })

  test("during a build for another's chargeback: a file that shows the person is not stored", async () => {
    const who = person('Eve')
    const { id } = await fixture.building()
    const file = await fixture.file(await pdfOf(1), 'application/pdf', { chargebackId: id, kind: 'delivery' }, [
      who.email.toLowerCase(),
    ])
    const removalId = await request(who)
    expect(await fixture.buildDuring(id, () => erase(removalId))).toEqual({ result: 'changed' })
    expect(await fixture.packages(id)).toEqual([])
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    const { exhibits } = (await fixture.draft(id)).body
    expect(exhibits.map(({ fileId }: { fileId: string }) => fileId)).not.toContain(file)
  })

  test('while a submission is running: the frozen package is held until it has ended', async () => {
    const who = person('Dora')
    const { id } = await fixture.building(pointsOf(who))
    await fixture.build()
    const { fileId } = (await fixture.draft(id)).body
    const { body } = await fixture.submit(id, fileId)
    const removalId = await request(who)
    expect((await pass(removalId)).held).toBeGreaterThan(0)
    expect(await fixture.packages(id)).toMatchObject([{ state: 'frozen', content_sealed: expect.any(String) }])
    await fixture.work(body.id)
    expect(await fixture.read(id, body.id)).toMatchObject({ status: 'succeeded' })
    await erase(removalId)
    expect(await fixture.packages(id)).toMatchObject([{ state: 'erased', content_sealed: null }])
    expect(await search(fixture.stage.db, fixture.stage.ring, [who.email])).toEqual({
      [who.email]: ['removal.person_sealed'],
    })
  })
})
