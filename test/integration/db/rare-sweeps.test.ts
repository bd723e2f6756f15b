import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCommand } from '../../../db/commands/commands.ts'
import { closeOverdue } from '../../../db/commands/deadline-sweeps.ts'
import { readRestored } from '../../../db/events/fresh-rows.ts'
import { recordLeftOut, storePlan } from '../../../db/evidence/evidence-plans.ts'
import { automaticCases } from '../../../db/packages/automatic.ts'
import { setMerchantPolicy } from '../../../db/packages/policies.ts'
import { enterDispatch } from '../../../db/polling/dispatched.ts'
import { dueChargebacks, noteStale } from '../../../db/polling/stale.ts'
import type { PlannedSubmission } from '../../../domain/evidence/submission.ts'
import {
  addChargeback,
  addEvidenceFile,
  addIntegration,
  type Place,
  stageWithIntegration,
} from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

/** Sweeps that other tests run only through processes, or over more rows than they have. */
let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
const read = (id: string) =>
  stage.db.selectFrom('chargeback').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const timeline = async (id: string) => {
  const rows = await stage.db.selectFrom('timeline_event').select('what').where('chargeback_id', '=', id).execute()
  return rows.map(({ what }) => what)
}

test('a chargeback past its due date is not represented', async () => {
  const [late, open] = [
    await addChargeback(stage.db, at, { due_date: inHours(-1), status: 'building_evidence' }),
    await addChargeback(stage.db, at, { due_date: inHours(200), status: 'building_evidence' }),
  ]
  expect(await closeOverdue(stage.db, new Date(), 10)).toBe(1)
  expect([(await read(late)).status, (await read(open)).status]).toEqual(['not_represented', 'building_evidence'])
})

test('a chargeback that the PSP is silent about is marked once', async () => {
  const id = await addChargeback(stage.db, at, { reread_after: new Date(0) })
  const due = await dueChargebacks(stage.db, at.integrationId, 10)
  const asked = due.filter((one) => one.id === id).map((one) => ({ ...one, answerable: true }))
  expect(await noteStale(stage.db, asked, 'stripe')).toBe(1)
  expect(await noteStale(stage.db, asked, 'stripe')).toBe(0)
  expect((await read(id)).anomalies).toHaveLength(1)
})

test('shards poll the given integrations from now on', async () => {
  const ids = [
    await addIntegration(stage.db, stage.ring, at.merchantUuid),
    await addIntegration(stage.db, stage.ring, at.merchantUuid),
  ]
  expect(await enterDispatch(stage.db, { integrationIds: ids }, { everyMs: 60_000 })).toBe(2)
  expect(await enterDispatch(stage.db, { integrationIds: ids }, { everyMs: 60_000 })).toBe(0)
})

test('cases of automatic submission come by due date, slice after slice', async () => {
  await setMerchantPolicy(stage.db, at.merchantUuid, { mode: 'auto' })
  const ids: string[] = []
  for (const hours of [30, 10, 20])
    ids.push(await addChargeback(stage.db, at, { due_date: inHours(hours), status: 'building_evidence' }))
  const next = async (after: Parameters<typeof automaticCases>[1]['after']) =>
    (await automaticCases(stage.db, { now: new Date(), hours: 48, after, limit: 2 })).map((one) => one)
  const first = await next(null)
  expect(first.map(({ chargebackId }) => chargebackId)).toEqual([ids[1], ids[2]])
  const { dueText, chargebackId } = first.at(-1) as (typeof first)[number]
  const second = await next({ dueText: dueText ?? '', chargebackId })
  expect(second.map((one) => one.chargebackId)).toEqual([ids[0]])
  await setMerchantPolicy(stage.db, at.merchantUuid, null)
  expect(await next(null)).toEqual([])
})

test('what a PSP rejected of a plan is told once', async () => {
  const id = await addChargeback(stage.db, at)
  const { merchantUuid, credentialId } = stage
  const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: id }
  const asked = {
    kind: 'evidence_submission',
    merchantUuid,
    chargebackId: id,
    dispute,
    round: 1,
    credentialId,
  } as const
  const commandId = await createCommand(stage.db, asked)
  const fileId = await addEvidenceFile(stage, at.merchantUuid)
  await stage.db.insertInto('evidence_submission').values({ command_id: commandId, file_id: fileId }).execute()
  const planned = { fields: [], dropped: [], shortened: [], converted: null } as unknown as PlannedSubmission
  await storePlan(stage.db, stage.ring, commandId, { requirements: {}, planned, texts: {} })
  for (let times = 0; times < 2; times++)
    await recordLeftOut(stage.db, commandId, [{ what: 'receipt', why: 'The PSP takes none.' }])
  expect((await timeline(id)).filter((what) => what === 'evidence left out')).toHaveLength(1)
})

test('after a copy into another cluster, rows without a position are read in the order of the rows', async () => {
  const id = await addChargeback(stage.db, at)
  for (const what of ['one', 'two'])
    await sql`insert into timeline_event (merchant_uuid, chargeback_id, source, what) values (${at.merchantUuid}, ${id}, 'test', ${what})`.execute(
      stage.db,
    )
  const { rows } = await stage.db.transaction().execute((trx) => readRestored(trx))
  expect(rows.filter(({ chargebackId }) => chargebackId === id).map(({ what }) => what)).toEqual(['one', 'two'])
})
