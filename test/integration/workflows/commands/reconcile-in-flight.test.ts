import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobOperations } from '../../../../db/commands/jobs.ts'
import { APPLIED } from '../../../../db/commands/psp-operations.ts'
import { requestOf } from '../../../faults/testbed/psps.ts'
import type { FaultPoint } from '../../../harness/fault-points/points.ts'
import { until } from '../../../harness/until.ts'
import { type Fixture, openFixture, subjectOf } from './submission-fixture.ts'

let acceptanceId: string
const describeRun = async () => ({ memo: { commandId: acceptanceId }, status: { name: 'TERMINATED' } })
const temporal = { workflow: { getHandle: () => ({ describe: describeRun }) } }

/** A terminated run does not stop an attempt to accept, which sends no heartbeat: the reconciler reads the PSP while the call runs. */
describe('a command whose run was terminated during an attempt', () => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('stripe'), { temporal: temporal as never })
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  /** Requests an acceptance, and lets the reconciler check it at once. */
  async function request(id: string) {
    const { status } = await fixture.stage.call('POST', `/v1/chargebacks/${id}/accept`)
    expect(status).toBe(200)
    const row = fixture.stage.db.selectFrom('command').select('command_id').where('chargeback_id', '=', id)
    acceptanceId = (await row.executeTakeFirstOrThrow()).command_id
  }
  async function reconcile() {
    const past = new Date(Date.now() - 60 * 60_000)
    const change = { requested_at: past, checked_at: past }
    await fixture.stage.db.updateTable('command').set(change).where('command_id', '=', acceptanceId).execute()
    await fixture.run(fixture.activities.settleCommands as (input: undefined) => Promise<number>, undefined)
  }
  /** Holds the attempt at a fault point until it is released. */
  function holdAt(point: FaultPoint) {
    let release: (() => void) | undefined
    const held = () => new Promise<void>((resolve) => (release = resolve))
    fixture.atFaultPoint.set(point, held)
    return { isHeld: () => release !== undefined, release: () => release?.() }
  }
  const attempt = () => fixture.run(fixture.activities.acceptAtPsp, { acceptanceId })
  const status = async (id: string) => (await fixture.stage.call('GET', `/v1/chargebacks/${id}/accept`)).body

  test('applied between the question and the read: never failed, succeeded by the next read', async () => {
    const { ref, id } = await fixture.open()
    await request(id)
    const [unclaimed, applied] = [holdAt('accept.before_psp'), holdAt('accept.after_psp')]
    const attempted = attempt()
    await until('the attempt has read', unclaimed.isHeld)

    const read = fixture.engine.holds.arm({ method: 'GET', path: `/v1/disputes/${ref}` }, 'apply', 1)
    const reconciled = reconcile()
    await until('the reconciler reads the PSP', () => read.held.length > 0)
    unclaimed.release()
    await until('Stripe has applied the call', applied.isHeld)
    fixture.engine.holds.release(read.id)
    await reconciled
    expect(await status(id)).toMatchObject({ status: 'inProgress' })

    applied.release()
    await attempted
    fixture.atFaultPoint.clear()
    await reconcile()
    expect(await status(id)).toMatchObject({ status: 'succeeded' })
    expect(await jobOperations(fixture.stage.db, acceptanceId)).toMatchObject([
      { state: 'confirmed', outcome: APPLIED },
    ])
    expect(await fixture.effects(ref, 'acceptance')).toHaveLength(1)
  })

  test('decided while the call is in flight: failed only after the call has ended', async () => {
    const { ref, id } = await fixture.open()
    await request(id)
    const call = fixture.engine.holds.arm(requestOf('stripe', 'accept', ref) ?? {}, 'drop', 1)
    const attempted = attempt()
    await until('the PSP has the call', () => call.held.length > 0)
    await fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
    await reconcile()
    expect(await status(id)).toMatchObject({ status: 'inProgress' })

    fixture.engine.holds.release(call.id)
    await expect(attempted).rejects.toThrow()
    await reconcile()
    expect(await status(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('won') })
    expect(await fixture.effects(ref, 'acceptance')).toEqual([])
  })
})
