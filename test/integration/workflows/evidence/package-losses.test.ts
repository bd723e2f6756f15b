import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storePlaybook } from '../../../../db/evidence/evidence-playbooks.ts'
import { removeFiles } from '../../../../db/evidence/file-deletion.ts'
import { pdfOf } from '../commands/submission-fixture.ts'
import { type Fixture, openFixture } from './package-fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

test('a package does not enclose a file that was removed while it was built', async () => {
  const { id } = await fixture.building()
  const exhibit = await fixture.file(await pdfOf(1), 'application/pdf', { chargebackId: id, kind: 'delivery' })
  expect(await fixture.buildDuring(id, () => removeFiles(fixture.stage.db, [exhibit]))).toEqual({ result: 'changed' })
  expect(await fixture.packages(id)).toEqual([])
  expect(await fixture.build()).toMatchObject({ [id]: 'built' })
  expect((await fixture.draft(id)).body.exhibits).toEqual([])
})

test('the timeline names what a package leaves out: files and texts that are cut', async () => {
  const { id } = await fixture.building({ product_description: 'It was sent. '.repeat(2_000) })
  const broken = await fixture.file(Buffer.from('%PDF-1.7 broken'), 'application/pdf', { chargebackId: id })
  await fixture.build()
  expect((await fixture.timeline(id)).at(-1)).toMatchObject({
    ...{ what: 'evidence package built', after: { dropped: ['product_description', broken] } },
  })
})

test('the timeline names a file of which a package has only the first pages', async () => {
  const { id } = await fixture.building()
  const long = await fixture.file(await pdfOf(16), 'application/pdf', { chargebackId: id, kind: 'delivery' })
  await fixture.build()
  expect((await fixture.draft(id)).body.warnings).toEqual(['Exhibit A has the first 15 of 16 pages.'])
  expect((await fixture.timeline(id)).at(-1)).toMatchObject({ after: { dropped: [long] } })
})

test('data that contradict each other are told and left out, and the package waits for a person', async () => {
  await fixture.policy({ mode: 'auto' })
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const { id } = await fixture.building({ shippingDate: daysAgo(50), deliveryDate: daysAgo(57) })
  const mail = await fixture.file(await pdfOf(1), 'application/pdf', { chargebackId: id, kind: 'communication' })
  await fixture.build()
  const contradicted = (await fixture.draft(id)).body
  expect(contradicted.warnings).toContain('The delivery is before the shipment.')
  expect(JSON.stringify(contradicted.texts)).not.toContain('delivered')
  expect(contradicted.automatic.blockedBy).toContain('contradiction')
  await fixture.send(id, { shippingDate: daysAgo(60) })
  await fixture.build()
  const corrected = (await fixture.draft(id)).body
  expect(corrected).toMatchObject({ exhibits: [{ fileId: mail }], warnings: [], automatic: { blockedBy: [] } })
  expect(JSON.stringify(corrected.texts)).toContain('delivered')
  await fixture.policy({ mode: 'manual' })
})

describe('a stored sentence of the account that an upgrade no longer knows', () => {
  test('is reported in the package and in the log, once for each package', async () => {
    const { accountId, db } = fixture.stage
    const statements = [{ id: 'delivered', text: 'It arrived {{ deliveredOn | date }}.', weight: 3 }]
    const play = { accountId, play: 'not_received', createdBy: 'ada' }
    await storePlaybook(db, { ...play, body: { statements } })
    // Chargebacks of other tests.
    await fixture.build()
    const logged: object[] = []
    Object.assign(fixture.deps, { log: { ...fixture.deps.log, warn: (...line: object[]) => void logged.push(line) } })
    const { id } = await fixture.building()
    expect(await fixture.build()).toEqual({ [id]: 'built' })
    const draft = (await fixture.draft(id)).body
    expect(draft.warnings).toEqual([
      "not_received.delivered: Unknown fact deliveredOn. The account's sentence is not used.",
    ])
    expect(JSON.stringify(draft.statements)).toContain('The order was delivered by DHL')
    await fixture.send(id, { shippingCarrier: 'DHL' })
    expect(await fixture.build()).toEqual({ [id]: 'unchanged' })
    expect(logged).toEqual([
      [{ accountId, chargebackId: id, sentences: ['not_received.delivered'] }, "account's sentences not used"],
    ])
    await storePlaybook(db, { ...play, body: { statements: [] } })
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    expect((await fixture.draft(id)).body.warnings).toEqual([])
  })
})
