import { randomUUID } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestAcceptance } from '../../../db/commands/acceptances.ts'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { open, sealContext } from '../../../db/core/seal.ts'
import { loadConnection } from '../../../db/integrations/connections.ts'
import type { Deactivated } from '../../../db/integrations/deactivations.ts'
import { setGoLive } from '../../../db/integrations/integration-operations.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import * as deactivation from '../../../workflows/activities/integrations/deactivation.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
let token: string
beforeAll(async () => {
  stage = await createStage()
  token = (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const day = 24 * 3600 * 1000
const now = Date.now()
const days = (n: number) => new Date(now + n * day)
const REASON = 'The merchant or integration was deactivated.'

async function shop() {
  const { merchantUuid } = await stage.newMerchant(stage.accountId)
  return { merchantUuid, integrationId: await addIntegration(stage.db, stage.ring, merchantUuid) }
}
type Shop = Awaited<ReturnType<typeof shop>>
const add = (at: Shop, posted: number | null, due: number, more = {}) =>
  addChargeback(stage.db, at, { posting_date: posted === null ? null : days(posted), due_date: days(due), ...more })
const stop = (at: Shop, path: string, deactivationType: string, date: Date) =>
  stage.call('DELETE', path, {
    token,
    merchant: at.merchantUuid,
    body: { deactivationType, deactivationDate: date.toISOString() },
  })
const merchantOf = (at: Shop): Deactivated => ({ kind: 'merchant', id: at.merchantUuid })
const integrationOf = (at: Shop): Deactivated => ({ kind: 'integration', id: at.integrationId })

/** Runs the activities of the workflow on its date. */
async function run(which: Deactivated): Promise<number> {
  const deps = stage as unknown as ActivityDeps
  if (!(await deactivation.beginDeactivation(deps, which)).reached) return -1
  const place = { integrationId: null, after: null }
  const { moved, next } = await deactivation.moveDeactivated(deps, { ...which, place })
  expect(next).toBeNull()
  await deactivation.finishDeactivation(deps, which)
  return moved
}
const statuses = (at: Shop, ids: string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const { body } = await stage.call('GET', `/v1/chargebacks/${id}`, { token, merchant: at.merchantUuid })
      return body.data.status
    }),
  )
const timeline = (id: string) =>
  stage.db
    .selectFrom('timeline_event')
    .select(['source', 'what', 'before', 'after'])
    .where('chargeback_id', '=', id)
    .where('what', '=', 'status changed')
    .execute()

describe('chargebacks of a deactivated merchant', () => {
  test('by posting date: those from the date on are not represented but readable, others continue', async () => {
    const own = await shop()
    const second = await addIntegration(stage.db, stage.ring, own.merchantUuid)
    const stranger = await shop()
    const ids = [
      await add(own, -6, 20),
      await add(own, -5, 20),
      await add(own, -1, 20),
      await add({ ...own, integrationId: second }, -1, 20),
      await add(own, null, 20),
      await add(own, -1, 20, { status: 'pending_psp_results', psp_status: 'under_review' }),
    ]
    const others = await add(stranger, -1, 20)
    await stop(own, '/v1/merchants', 'postingDate', days(-5))
    expect(await run(merchantOf(own))).toBe(4)
    expect(await statuses(own, ids)).toEqual([
      'waiting_for_data',
      'not_represented',
      'not_represented',
      'not_represented',
      'not_represented',
      'pending_psp_results',
    ])
    expect(await statuses(stranger, [others])).toEqual(['waiting_for_data'])
    const events = await timeline(ids[2] as string)
    expect(events).toMatchObject([
      {
        source: 'deactivation',
        what: 'status changed',
        before: { status: 'waiting_for_data' },
        after: { status: 'not_represented', reason: REASON, merchantRevision: 1 },
      },
    ])
    expect(await run(merchantOf(own))).toBe(0)
    expect(await timeline(ids[2] as string)).toHaveLength(1)
  })

  test('by due date', async () => {
    const own = await shop()
    const ids = [await add(own, -9, 10), await add(own, -9, 11), await add(own, -9, 12)]
    // The date is in the future until the row is changed, so that these due dates can be in the future, too.
    await stop(own, '/v1/merchants', 'dueDate', days(11))
    expect(await run(merchantOf(own))).toBe(-1)
    await stage.db
      .updateTable('merchant')
      .set({ deactivation_date: days(-1) })
      .where('merchant_uuid', '=', own.merchantUuid)
      .execute()
    expect(await run(merchantOf(own))).toBe(3)
    expect(new Set(await statuses(own, ids))).toEqual(new Set(['not_represented']))
  })

  test('a client’s decision to fight does not keep them, and going live does not bring them back', async () => {
    const own = await shop()
    const id = await add(own, -1, 20, { should_fight: true, status: 'building_evidence' })
    await stop(own, '/v1/merchants', 'postingDate', days(-5))
    expect(await run(merchantOf(own))).toBe(1)
    await setGoLive(stage.db, own.integrationId, null)
    expect(await statuses(own, [id])).toEqual(['not_represented'])
  })
})

describe('chargebacks of a deactivated integration', () => {
  test('only its own are not represented, and it is INACTIVE', async () => {
    const own = await shop()
    const second = await addIntegration(stage.db, stage.ring, own.merchantUuid)
    const ids = [await add(own, -1, 20), await add(own, -9, 20), await add({ ...own, integrationId: second }, -1, 20)]
    await stop(own, `/v1/integrations/${own.integrationId}`, 'postingDate', days(-5))
    expect(await run(integrationOf(own))).toBe(1)
    expect(await statuses(own, ids)).toEqual(['not_represented', 'waiting_for_data', 'waiting_for_data'])
    expect((await loadConnection(stage.db, own.integrationId))?.status).toBe('INACTIVE')
  })

  test('either deactivation applies to them, by posting date or due date', async () => {
    const own = await shop()
    const [byMerchant, byIntegration] = [await add(own, -20, -1 + 30), await add(own, -2, 20)]
    await stop(own, `/v1/integrations/${own.integrationId}`, 'postingDate', days(-5))
    await stop(own, '/v1/merchants', 'dueDate', days(-1))
    await run(integrationOf(own))
    await run(merchantOf(own))
    expect(await statuses(own, [byMerchant, byIntegration])).toEqual(['not_represented', 'not_represented'])
  })

  test('a date that was moved has no effect when the timer of the old date fires', async () => {
    const own = await shop()
    const id = await add(own, -1, 20)
    await stop(own, `/v1/integrations/${own.integrationId}`, 'postingDate', days(1))
    await stop(own, `/v1/integrations/${own.integrationId}`, 'postingDate', days(9))
    const deps = stage as unknown as ActivityDeps
    expect(await deactivation.beginDeactivation(deps, integrationOf(own))).toEqual({
      reached: false,
      date: { effectiveAt: days(9).toISOString(), revision: 2 },
    })
    const place = { integrationId: null, after: null }
    expect(await deactivation.moveDeactivated(deps, { ...integrationOf(own), place })).toEqual({ moved: 0, next: null })
    await deactivation.finishDeactivation(deps, integrationOf(own))
    expect(await statuses(own, [id])).toEqual(['waiting_for_data'])
    expect((await loadConnection(stage.db, own.integrationId))?.status).toBe('SUCCESSFUL')
  })

  test('one that is being accepted stays until that ends; then it is decided, and the secret deleted', async () => {
    const own = await shop()
    const id = await add(own, -1, 20)
    await requestAcceptance(stage.db, {
      merchantUuid: own.merchantUuid,
      chargebackId: id,
      credentialId: randomUUID(),
      now: new Date(),
      acceptStages: () => ['chargeback'],
    })
    await stop(own, `/v1/integrations/${own.integrationId}`, 'postingDate', days(-5))
    expect(await run(integrationOf(own))).toBe(0)
    expect(await statuses(own, [id])).toEqual(['waiting_for_data'])
    expect(await secretOf(own)).toContain('rk_test_planted')
    const { command_id } = await stage.db
      .selectFrom('command')
      .select('command_id')
      .where('chargeback_id', '=', id)
      .executeTakeFirstOrThrow()
    const command = await loadCommand(stage.db, command_id)
    if (command) await endCommand(stage.db, command, { status: 'failed', code: 'x', error: 'Refused.' }, 'stripe')
    expect(await statuses(own, [id])).toEqual(['not_represented'])
    expect(await secretOf(own)).toBe('{}')
  })

  async function secretOf(own: Shop): Promise<string> {
    const temporal = {
      workflow: { getHandle: () => ({ describe: () => Promise.resolve({ status: { name: 'RUNNING' } }) }) },
    }
    const deps = { ...stage, temporal } as unknown as ActivityDeps
    await new MockActivityEnvironment().run(() => deactivation.reconcileDeactivations(deps))
    const row = await stage.db
      .selectFrom('integration')
      .select('secret_sealed')
      .where('integration_id', '=', own.integrationId)
      .executeTakeFirstOrThrow()
    return open(stage.ring, row.secret_sealed, sealContext.integrationSecret({ ...own, source: 'stripe' }))
  }
})

test('a new date raises the rules version, so that earlier decisions are checked again', async () => {
  const own = await shop()
  const before = (await loadConnection(stage.db, own.integrationId))?.rulesVersion
  await stop(own, '/v1/merchants', 'postingDate', days(9))
  await stop(own, `/v1/integrations/${own.integrationId}`, 'postingDate', days(9))
  await setGoLive(stage.db, own.integrationId, days(-3))
  expect((await loadConnection(stage.db, own.integrationId))?.rulesVersion).toBe((before ?? 0) + 3)
})

describe('going live', () => {
  test('brings back chargebacks from the date on, with the operator as source', async () => {
    const own = await shop()
    const notRepresented = { status: 'not_represented', status_reason: 'The integration waits for its go-live date.' }
    const [early, late] = [await add(own, -9, 20, notRepresented), await add(own, -2, 20, notRepresented)]
    await sql`update integration set go_live_waits = true where integration_id = ${own.integrationId}`.execute(stage.db)
    expect(await setGoLive(stage.db, own.integrationId, days(-5))).toEqual({ moved: 1 })
    expect(await statuses(own, [early, late])).toEqual(['not_represented', 'waiting_for_data'])
    expect(await timeline(late)).toMatchObject([{ source: 'operator', what: 'status changed' }])
    expect(await setGoLive(stage.db, own.integrationId, null)).toEqual({ moved: 1 })
    expect(await statuses(own, [early])).toEqual(['waiting_for_data'])
  })
})
