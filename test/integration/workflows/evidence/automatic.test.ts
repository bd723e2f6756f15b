import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expiredFiles } from '../../../../db/evidence/file-deletion.ts'
import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { setMerchantPolicy } from '../../../../db/packages/policies.ts'
import { expireRows } from '../../../../db/retention/retention.ts'
import { BLOCKERS } from '../../../../domain/evidence/package/blockers.ts'
import { copyOf } from '../../../harness/copies.ts'
import { samplePdf } from '../../../harness/sample-files.ts'
import { addIntegration } from '../../api/chargebacks/chargeback-rows.ts'
import { type Fixture, openFixture } from './package-fixture.ts'

const HOUR_MS = 3_600_000
let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(async () => {
  await fixture.policy({ mode: 'auto' })
  fixture.moveTo(new Date())
})

/** A chargeback with its package, and the moment at which it is submitted automatically. */
async function ready(points: object = {}) {
  const one = await fixture.building(points)
  await fixture.build()
  const { body } = await fixture.draft(one.id)
  return { ...one, fileId: body.fileId as string, at: new Date(body.automatic.at) }
}
const moveBefore = ({ at }: { at: Date }, ms: number) => fixture.moveTo(new Date(at.getTime() - ms))
const moveAfter = ({ at }: { at: Date }, ms = 1_000) => moveBefore({ at }, -ms)
const codes = async (id: string) => (await fixture.draft(id)).body.automatic.blockedBy as string[]

describe('automatic submission', () => {
  test('submits the package 48 hours before the due date, to within two, without a credential, once', async () => {
    const one = await ready()
    const hours = (one.dueDate.getTime() - one.at.getTime()) / HOUR_MS
    expect(hours).toBeGreaterThanOrEqual(48)
    expect(hours).toBeLessThan(50)
    moveBefore(one, 60_000)
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toEqual([])
    moveAfter(one)
    await Promise.all([fixture.sweep(), fixture.sweep(), fixture.sweep()])
    const [command, ...others] = await fixture.commands(one.id)
    expect([command?.credential_id, command?.kind, others]).toEqual([null, 'evidence_submission', []])
    expect((await fixture.timeline(one.id)).at(-1)).toMatchObject({
      ...{ source: 'automation', what: 'evidence submission requested' },
      after: { fileId: one.fileId, packageId: expect.any(String) },
    })
    // Postgres' clock has not moved.
    fixture.moveTo(new Date())
    await fixture.work(command?.command_id as string)
    expect(await fixture.read(one.id, command?.command_id as string)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.effects(one.ref, 'submission')).toHaveLength(1)
    moveAfter(one)
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toHaveLength(1)
  })

  test('never happens under the default policy, nor for a merchant with a policy of its own', async () => {
    const one = await ready()
    await fixture.policy({ mode: 'manual' })
    moveAfter(one)
    await fixture.sweep()
    await fixture.policy({ mode: 'auto' })
    await setMerchantPolicy(fixture.stage.db, fixture.stage.merchantUuid, { mode: 'manual' })
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toEqual([])
    await setMerchantPolicy(fixture.stage.db, fixture.stage.merchantUuid, null)
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toHaveLength(1)
  })

  test('after a change of data a minute before: built again first, then submitted', async () => {
    const one = await ready()
    moveBefore(one, 60_000)
    await fixture.send(one.id, { shippingCarrier: 'UPS' })
    moveAfter(one)
    await fixture.sweep()
    expect([await fixture.commands(one.id), await codes(one.id)]).toEqual([[], ['package_stale']])
    await fixture.build()
    await fixture.sweep()
    const submitted = await fixture.stage.db.selectFrom('evidence_submission').select('file_id').execute()
    const { body } = await fixture.draft(one.id)
    expect(body).toMatchObject({ state: 'frozen', version: 2, texts: { shipping_carrier: 'UPS' } })
    expect(submitted.map(({ file_id }) => file_id)).toContain(body.fileId)
  })

  test('a client at the same instant wins, or finds the same submission', async () => {
    for (let round = 0; round < 4; round++) {
      const one = await ready()
      const own = await fixture.file(samplePdf())
      moveAfter(one)
      const [, theirs] = await Promise.all([fixture.sweep(), fixture.submit(one.id, round % 2 ? own : one.fileId)])
      const commands = await fixture.commands(one.id)
      expect(commands).toHaveLength(1)
      if (theirs.status === 201) expect(theirs.body.id).toBe(commands[0]?.command_id)
      else expect([theirs.body.code, commands[0]?.credential_id]).toEqual(['other_file_submitted', null])
    }
  })

  test('is held and released by the client, with timeline rows', async () => {
    const one = await ready()
    expect(await fixture.hold(one.id, false)).toMatchObject({ status: 200, body: { id: one.id } })
    await fixture.hold(one.id, false)
    moveAfter(one)
    await fixture.sweep()
    expect([await fixture.commands(one.id), await codes(one.id)]).toEqual([[], ['held']])
    await fixture.hold(one.id, true)
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toHaveLength(1)
    const told = (await fixture.timeline(one.id))
      .filter(({ what }) => what.startsWith('automatic'))
      .map(({ what }) => what)
    expect(told).toEqual(['automatic submission held', 'automatic submission blocked', 'automatic submission released'])
  })

  test('does not happen after any command of the client in this round, also a failed one', async () => {
    const one = await ready()
    await fixture.submit(one.id, await fixture.file(samplePdf()))
    await fixture.stage.db
      .updateTable('command')
      .set({ status: 'failed' })
      .where('chargeback_id', '=', one.id)
      .execute()
    moveAfter(one)
    await fixture.sweep()
    expect([(await fixture.commands(one.id)).length, await codes(one.id)]).toEqual([1, ['command_exists']])
  })

  test('happens a day after a dry run with an own file, which then keeps neither the file nor a place', async () => {
    const { db, accountId } = fixture.stage
    await changeSettings(db, accountId, { filesPerChargeback: 1 })
    const one = await ready()
    const dryRun = async (fileId: string) =>
      (await fixture.stage.call('POST', `/v1/chargebacks/${one.id}/evidence/plan`, { body: { fileId } })).body.code
    const own = await fixture.file(samplePdf())
    await dryRun(own)
    expect(await dryRun(one.fileId)).toBe('too_many_files')
    await db
      .updateTable('evidence_plan')
      .set({ requested_at: sql`now() - interval '25 hours'` })
      .where('file_id', '=', own)
      .execute()
    await sql`update file set created_at = now() - interval '20 years' where file_id = ${own}`.execute(db)
    expect(await expiredFiles(db, [own])).toEqual([own])
    expect(await dryRun(one.fileId)).toBeUndefined()
    moveAfter(one)
    expect(await codes(one.id)).toEqual([])
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toHaveLength(1)
    await expireRows(db, [], 100)
    expect(await db.selectFrom('evidence_plan').select('file_id').where('file_id', '=', own).execute()).toEqual([])
    await changeSettings(db, accountId, { filesPerChargeback: null })
  })

  test('what prevents it is told once, a day before, with a metric', async () => {
    const one = await ready({ deliveryDate: '', shippingTrackingNumber: '' })
    fixture.blocked.length = 0
    moveBefore(one, 25 * HOUR_MS)
    await fixture.sweep()
    expect(fixture.blocked).toEqual([])
    moveBefore(one, 23 * HOUR_MS)
    await fixture.sweep()
    await fixture.sweep()
    expect(fixture.blocked).toEqual(['no_package', 'required_missing', 'completeness'])
    const told = (await fixture.timeline(one.id)).filter(({ what }) => what === 'automatic submission blocked')
    expect(told).toMatchObject([
      { source: 'automation', after: { blockedBy: ['no_package', 'required_missing', 'completeness'] } },
    ])
  })
})

describe('each reason not to submit', () => {
  const set = (values: object) => (id: string) =>
    fixture.stage.db.updateTable('chargeback').set(values).where('id', '=', id).execute()
  const setPackage = (values: object) => (id: string) =>
    fixture.stage.db.updateTable('evidence_package').set(values).where('chargeback_id', '=', id).execute()
  const soon = () => new Date(fixture.now().getTime() - 1_000)
  const CASES: Record<(typeof BLOCKERS)[number], (id: string) => Promise<unknown>> = {
    policy_manual: () => fixture.policy({ mode: 'auto', plays: ['duplicate'] }),
    held: (id) => fixture.hold(id, false),
    not_building: set({ status: 'not_represented' }),
    command_exists: async (id) => fixture.submit(id, await fixture.file(samplePdf())),
    client_file: async (id) =>
      fixture.stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, {
        body: { fileId: await fixture.file(samplePdf()) },
      }),
    no_package: setPackage({ state: 'refused' }),
    package_stale: (id) => fixture.send(id, { shippingCarrier: 'UPS' }),
    required_missing: setPackage({ required_missing: 1 }),
    completeness: setPackage({ completeness: 0.69 }),
    contradiction: setPackage({ contradicted: true }),
    recommendation_accept: set({ roi_recommendation: 'Accept', should_fight: null }),
    compliance: setPackage({ manual_only: true }),
    overdue: (id) => set({ due_date: soon() })(id),
    psp_not_answerable: set({ psp_status: 'under_review' }),
    answered_elsewhere: async (id) => {
      const { db, merchantUuid, ring } = fixture.stage
      const place = { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) }
      const theirs = await copyOf(db, id, place)
      expect((await fixture.stage.call('POST', `/v1/chargebacks/${theirs}/accept`)).status).toBe(200)
    },
    integration_unusable: () => fixture.stage.db.updateTable('integration').set({ status: 'FAILED' }).execute(),
  }

  test.each(BLOCKERS)('%s', async (code) => {
    const one = await ready()
    moveAfter(one, 60_000)
    expect(await codes(one.id)).toEqual([])
    await CASES[code](one.id)
    expect(await codes(one.id)).toContain(code)
    const earlier = await fixture.commands(one.id)
    await fixture.sweep()
    expect(await fixture.commands(one.id)).toEqual(earlier)
    await fixture.stage.db.updateTable('integration').set({ status: 'SUCCESSFUL' }).execute()
  })

  test('an amount below the policy counts as manual', async () => {
    const one = await ready()
    await fixture.policy({ mode: 'auto', minAmount: { USD: 1e9, EUR: 1e9, GBP: 1e9, JPY: 1e9 } })
    expect(await codes(one.id)).toEqual(['policy_manual'])
  })
})

describe('a policy', () => {
  test('is refused if evidence is not built by then, for the account and for a merchant', async () => {
    await expect(fixture.policy({ mode: 'auto', hoursBeforeDue: 70 })).rejects.toThrow(/make it 66 at most/)
    const own = { mode: 'auto', hoursBeforeDue: 70 }
    await expect(setMerchantPolicy(fixture.stage.db, fixture.stage.merchantUuid, own)).rejects.toThrow(/Merchant .*66/)
  })
})
