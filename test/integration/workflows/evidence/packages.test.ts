import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadPlan } from '../../../../db/evidence/evidence-plans.ts'
import { storePlaybook } from '../../../../db/evidence/evidence-playbooks.ts'
import { wantedPackages } from '../../../../db/packages/wanted.ts'
import { samplePdf } from '../../../harness/sample-files.ts'
import { pdfOf } from '../commands/submission-fixture.ts'
import { type Fixture, openFixture } from './package-fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const PDF = { accept: 'application/pdf' }
const built = async (points: object = {}) => {
  const { id, ref, dueDate } = await fixture.building(points)
  await fixture.build()
  const { body } = await fixture.draft(id)
  return { id, ref, dueDate, fileId: body.fileId as string }
}
const isWanted = async (id: string) => (await fixture.wanted()).includes(id)

describe('an evidence package', () => {
  test('is built half a minute after the last change, and can be read as JSON and as PDF', async () => {
    const { id } = await fixture.building()
    expect(await wantedPackages(fixture.stage.db, fixture.now(), 50)).toEqual([])
    expect(await fixture.draft(id)).toMatchObject({ status: 404, body: { code: 'draft_not_ready' } })
    expect((await fixture.draft(id)).headers.get('retry-after')).toBe('30')
    expect(await fixture.build()).toEqual({ [id]: 'built' })
    const { status, body, headers } = await fixture.draft(id)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ...{ version: 1, state: 'current', play: 'not_received', requiredMissing: [], stale: false, pages: 1 },
        texts: { shipping_carrier: 'DHL', shipping_tracking_number: '00340434161094042557' },
        automatic: { policy: 'manual', blockedBy: ['policy_manual'] },
      },
    })
    expect(headers.get('etag')).toMatch(/^"1-[0-9a-f]{12}"$/)
    const pdf = await fixture.draft(id, PDF)
    expect([pdf.status, pdf.headers.get('content-type'), pdf.text.slice(0, 5)]).toEqual([200, PDF.accept, '%PDF-'])
    const unchanged = { 'if-none-match': pdf.headers.get('etag') as string }
    expect((await fixture.draft(id, { ...PDF, ...unchanged })).status).toBe(304)
    expect((await fixture.timeline(id)).at(-1)).toMatchObject({
      ...{ source: 'building', what: 'evidence package built' },
      after: { version: 1, play: 'not_received', pages: 1, dropped: [] },
    })
  })

  test('is built again after each change of what it says, and only then', async () => {
    const { id, fileId } = await built()
    await fixture.send(id, { shippingCarrier: 'DHL' })
    expect((await fixture.draft(id)).body.stale).toBe(true)
    expect(await fixture.build()).toMatchObject({ [id]: 'unchanged' })
    expect((await fixture.draft(id)).body).toMatchObject({ version: 1, fileId, stale: false })
    await fixture.send(id, { shippingCarrier: 'UPS' })
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    const { body } = await fixture.draft(id)
    expect(body).toMatchObject({ version: 2, texts: { shipping_carrier: 'UPS' } })
    expect(body.fileId).not.toBe(fileId)
    const [old] = await fixture.packages(id)
    expect(old).toMatchObject({ state: 'superseded', content_sealed: null })
    expect(await fixture.stage.db.selectFrom('file').select('file_id').where('file_id', '=', fileId).execute()).toEqual(
      [],
    )
  })

  test('is wanted by an upload for the chargeback, its transaction or every chargeback, and by new sentences', async () => {
    const { id, ref } = await built()
    const row = await fixture.chargeback(ref)
    for (const metadata of [
      { chargebackId: id, kind: 'delivery' },
      { chargebackId: ref },
      { transactionId: row?.transaction_id },
      { scope: 'merchant', kind: 'policy' },
    ]) {
      await fixture.build()
      expect(await isWanted(id)).toBe(false)
      await fixture.file(await pdfOf(1), 'application/pdf', metadata)
      expect(await isWanted(id), JSON.stringify(metadata)).toBe(true)
    }
    await fixture.build()
    await fixture.file(await pdfOf(1), 'application/pdf', { chargebackId: 'du_other' })
    expect(await isWanted(id)).toBe(false)
    const statements = [{ id: 'own', text: 'We sent {{ goods }}.', weight: 1 }]
    const body = { statements }
    await storePlaybook(fixture.stage.db, {
      accountId: fixture.stage.accountId,
      play: 'not_received',
      body,
      createdBy: 'ada',
    })
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    const draft = (await fixture.draft(id)).body
    expect(draft.playbook).toMatchObject({ override: 1 })
    expect(draft.exhibits.map(({ kind }: { kind: string }) => kind)).toContain('delivery')
  })

  test('is wanted when an exhibit is deleted', async () => {
    const { id } = await fixture.building()
    const exhibit = await fixture.file(await pdfOf(1), 'application/pdf', { chargebackId: id, kind: 'delivery' })
    await fixture.build()
    expect((await fixture.draft(id)).body.exhibits).toMatchObject([{ fileId: exhibit }])
    expect((await fixture.stage.call('DELETE', `/v1/files/${exhibit}`)).status).toBe(200)
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    expect((await fixture.draft(id)).body.exhibits).toEqual([])
  })

  test('is not stored when data changed while it was built', async () => {
    const { id } = await fixture.building()
    const change = () => fixture.send(id, { shippingCarrier: 'UPS' })
    expect(await fixture.buildDuring(id, change)).toEqual({ result: 'changed' })
    expect(await fixture.packages(id)).toEqual([])
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
  })

  test('is refused with a reason while only the payment is known, and read as such', async () => {
    const { id } = await fixture.open({ reason: '13.1' })
    await fixture.stage.call('PATCH', `/v1/chargebacks/${id}/should-fight`, { body: { shouldFight: true } })
    const results = await fixture.build()
    const { body } = await fixture.draft(id)
    expect([results[id], body.state, body.fileId]).toEqual(['refused', 'refused', undefined])
    expect(body.warnings).toContainEqual(
      expect.stringMatching(/^Nothing that is known answers reason 13\.1\. Send deliveryDate; /),
    )
    expect(body.requiredMissing).not.toEqual([])
    expect((await fixture.timeline(id)).at(-1)).toMatchObject({
      ...{ source: 'building', what: 'evidence package refused' },
      after: { why: expect.stringMatching(/^Nothing that is known answers reason 13\.1\./) },
    })
  })

  test('a PSP that is unavailable leaves the general limits, which is said, and the package is built again later', async () => {
    const warnings = async () => JSON.stringify((await fixture.draft(id)).body.warnings)
    const { id, ref } = await fixture.building()
    await fixture.control('POST', '/faults', { kind: '503_empty', count: 50, match: { path: `/v1/disputes/${ref}` } })
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    expect(await warnings()).toContain('The PSP could not be asked what this dispute takes')
    expect((await fixture.draft(id)).body.stale).toBe(false)
    expect(await isWanted(id)).toBe(false)
    fixture.wait(11 * 60_000)
    expect(await isWanted(id)).toBe(true)
    // Its data is the same, so it can be approved until it is built again.
    expect((await fixture.draft(id)).body.stale).toBe(false)
    expect(await fixture.build()).toMatchObject({ [id]: 'unchanged' })
    await fetch(`${fixture.controlUrl}/faults`, { method: 'DELETE' })
    fixture.wait(11 * 60_000)
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    expect(await warnings()).not.toContain('could not be asked')
    expect(await isWanted(id)).toBe(false)
    fixture.wait(-22 * 60_000)
  })

  test('does not count towards the quota, and cannot be deleted by the client', async () => {
    const usage = () => fixture.stage.db.selectFrom('account_usage').select('file_bytes').executeTakeFirst()
    const before = await usage()
    const { fileId } = await built()
    expect(await usage()).toEqual(before)
    expect(await fixture.stage.call('DELETE', `/v1/files/${fileId}`)).toMatchObject({ body: { code: 'file_in_use' } })
  })
})

describe('submitting the draft', () => {
  test('sends the reviewed PDF and texts, whatever changes later', async () => {
    const { id, ref, fileId } = await built()
    const pdf = await fixture.stage.app.request(`/v1/chargebacks/${id}/evidence/draft`, {
      headers: { ...PDF, authorization: `Bearer ${fixture.stage.token}` },
    })
    const sha256 = createHash('sha256')
      .update(Buffer.from(await pdf.arrayBuffer()))
      .digest('hex')
    const { texts } = (await fixture.draft(id)).body
    const { status, body } = await fixture.submit(id, fileId)
    expect(status).toBe(201)
    expect(await fixture.packages(id)).toMatchObject([{ state: 'frozen' }])
    await fixture.run(fixture.activities.planEvidence, { submitEvidenceId: body.id })
    expect((await loadPlan(fixture.stage.db, fixture.stage.ring, body.id))?.texts).toEqual(texts)
    await fixture.work(body.id)
    expect(await fixture.read(id, body.id)).toMatchObject({ status: 'succeeded', fileId })
    expect(await fixture.effects('', 'upload')).toMatchObject([{ details: { sha256 } }])
    expect(await fixture.effects(ref, 'submission')).toHaveLength(1)
    expect((await fixture.draft(id)).body).toMatchObject({ state: 'frozen', fileId })
  })

  test('is refused for a draft that was replaced or is out of date, and stores nothing', async () => {
    const { id, fileId } = await built()
    await fixture.send(id, { shippingCarrier: 'UPS' })
    // The clock of the API's host may be behind.
    fixture.wait(-60_000)
    expect(await fixture.submit(id, fileId)).toMatchObject({ status: 400, body: { code: 'draft_changed' } })
    fixture.wait(60_000)
    await fixture.build()
    expect(await fixture.submit(id, fileId)).toMatchObject({ status: 400, body: { code: 'draft_changed' } })
    expect(await fixture.commands(id)).toEqual([])
    const { fileId: latest } = (await fixture.draft(id)).body
    expect((await fixture.submit(id, latest)).status).toBe(201)
    expect(await fixture.submit(id, latest)).toMatchObject({ status: 201 })
    expect(await fixture.commands(id)).toHaveLength(1)
  })

  test('is refused once the due date has passed, and the draft can still be read', async () => {
    const { id, fileId } = await built()
    await fixture.stage.db
      .updateTable('chargeback')
      .set({ due_date: new Date(Date.now() - 1_000) })
      .where('id', '=', id)
      .execute()
    expect(await fixture.submit(id, fileId)).toMatchObject({ status: 400, body: { code: 'overdue' } })
    expect(await fixture.draft(id, PDF)).toMatchObject({ status: 200 })
  })

  test("is refused for another chargeback's draft", async () => {
    const [one, other] = [await built(), await built()]
    expect(await fixture.submit(one.id, other.fileId)).toMatchObject({ status: 404, body: { code: 'file_not_found' } })
  })

  test("a client's own file is taken as before, and the draft stays", async () => {
    const { id } = await built()
    const own = await fixture.file(samplePdf())
    const { body } = await fixture.submit(id, own)
    await fixture.work(body.id)
    expect(await fixture.read(id, body.id)).toMatchObject({ status: 'succeeded', fileId: own })
    expect(await fixture.packages(id)).toMatchObject([{ state: 'current' }])
  })

  test('that failed can be repeated with the same draft, until its data changes', async () => {
    const { id, fileId } = await built()
    const fail = () =>
      fixture.stage.db.updateTable('command').set({ status: 'failed' }).where('chargeback_id', '=', id).execute()
    await fixture.submit(id, fileId)
    await fail()
    await fixture.build()
    expect((await fixture.submit(id, fileId)).status).toBe(201)
    await fail()
    await fixture.send(id, { shippingCarrier: 'UPS' })
    expect(await fixture.build()).toMatchObject({ [id]: 'built' })
    expect(await fixture.submit(id, fileId)).toMatchObject({ body: { code: 'draft_changed' } })
    expect((await fixture.packages(id)).map(({ state }) => state)).toEqual(['frozen', 'current'])
  })
})
