import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recomputeChargebacks } from '../../../db/chargebacks/recompute.ts'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, createCommand, loadCommand } from '../../../db/commands/commands.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import { storeChargebacks } from '../../../db/polling/ingest.ts'
import { dueScopeRun, finishScopeRun } from '../../../db/scope-rules/scope-runs.ts'
import { saveScopeRules } from '../../../db/scope-rules/scope-settings.ts'
import type { ChargebackFacts } from '../../../domain/chargeback.ts'
import { projectChargeback } from '../../../workflows/activities/polling/projection.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = (id: string) =>
  stage.db.selectFrom('chargeback').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const timeline = (id: string) =>
  stage.db
    .selectFrom('timeline_event')
    .select(['source', 'what', 'before', 'after'])
    .where('chargeback_id', '=', id)
    .execute()

async function place() {
  const integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
  return { merchantUuid: stage.merchantUuid, integrationId }
}

describe('deciding stored chargebacks again', () => {
  test('changes what differs, records it in the timeline, and keeps the rest', async () => {
    const at = await place()
    const id = await addChargeback(stage.db, at, { card_scheme: 'amex', reason_group: 'fraud' })
    const how = { now: new Date(), source: 'test', cause: { why: 'nothing' } }
    expect(await recomputeChargebacks(stage.db, { chargebackIds: [id] }, how)).toMatchObject({
      seen: 1,
      changed: 1,
      moved: 0,
    })
    expect(await recomputeChargebacks(stage.db, { chargebackIds: [id] }, how)).toMatchObject({ seen: 1, changed: 0 })
    await stage.db.updateTable('chargeback').set({ should_fight: false }).where('id', '=', id).execute()
    const again = await recomputeChargebacks(stage.db, { chargebackIds: [id, randomUUID()] }, how)
    expect(again).toEqual({ seen: 1, changed: 1, moved: 1, next: null })
    expect(await read(id)).toMatchObject({
      status: 'not_represented',
      scope_decision: { by: 'should_fight', inScope: false },
      win_probability: null,
      version: 3n,
    })
    expect((await timeline(id)).findLast(({ what }) => what === 'status changed')).toEqual({
      source: 'test',
      what: 'status changed',
      before: { status: 'waiting_for_data', reason: 'More data is needed to build evidence.' },
      after: { status: 'not_represented', reason: 'The client decided not to fight.', why: 'nothing' },
    })
  })

  test('processes open chargebacks in slices, and skips decided ones and another merchant’s', async () => {
    const at = await place()
    const open = [await addChargeback(stage.db, at), await addChargeback(stage.db, at, { psp_status: 'unknown' })]
    await addChargeback(stage.db, at, { psp_status: 'won', status: 'pending_psp_results' })
    const how = { now: new Date(), source: 'test' }
    const one = await recomputeChargebacks(stage.db, { ...at, limit: 1 }, how)
    expect(one).toMatchObject({ seen: 1, next: open[0] })
    const two = await recomputeChargebacks(stage.db, { ...at, limit: 2, after: one.next }, how)
    expect(two).toMatchObject({ seen: 1, next: null })
    const foreign = { chargebackIds: open, merchantUuid: randomUUID() }
    expect(await recomputeChargebacks(stage.db, foreign, how)).toMatchObject({ seen: 0 })
  })

  test('keeps the status during a running command, and applies changes when the command fails', async () => {
    const at = await place()
    const id = await addChargeback(stage.db, at, { card_scheme: 'amex' })
    const { merchantUuid, credentialId } = stage
    const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: id }
    const requested = { kind: 'acceptance', merchantUuid, chargebackId: id, dispute, round: 1, credentialId } as const
    const command = (await loadCommand(stage.db, await createCommand(stage.db, requested))) as CommandAtWork
    await saveScopeRules(stage.db, { ...at, credentialId, rules: { cardSchemes: ['amex'] } })
    await recomputeChargebacks(stage.db, at, { now: new Date(), source: 'test' })
    expect((await read(id)).status).toBe('waiting_for_data')
    await endCommand(stage.db, command, { status: 'failed', code: 'rejected_final', error: 'No.' }, 'stripe')
    expect(await read(id)).toMatchObject({
      status: 'not_represented',
      scope_decision: { by: 'scope_rule', version: 1, dimension: 'cardSchemes', value: 'amex', inScope: false },
    })
  })

  test.each(['inProgress', 'succeeded', 'failed'])(
    'keeps the win probability unless the submission failed: %s',
    async (status) => {
      const at = await place()
      const id = await addChargeback(stage.db, at, { win_probability: '77.7', roi_recommendation: 'Fight' })
      const { merchantUuid, credentialId } = stage
      const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: id }
      const requested = {
        kind: 'evidence_submission',
        merchantUuid,
        chargebackId: id,
        dispute,
        round: 1,
        credentialId,
      } as const
      const commandId = await createCommand(stage.db, requested)
      await stage.db.updateTable('command').set({ status }).where('command_id', '=', commandId).execute()
      await recomputeChargebacks(stage.db, at, { now: new Date(), source: 'test' })
      const { win_probability } = await read(id)
      if (status === 'failed') expect(win_probability).not.toBe('77.7')
      else expect(win_probability).toBe('77.7')
    },
  )
})

describe('a decision under rules that changed before it was written', () => {
  test('is requested again, once per write, and is due until a run finishes it', async () => {
    const at = await place()
    const before = (await loadConnection(stage.db, at.integrationId)) as Connection
    const { version } = await saveScopeRules(stage.db, { ...at, credentialId: stage.credentialId, rules: {} })
    await finishScopeRun(stage.db, { ...at, asked: version })
    expect(await dueScopeRun(stage.db, at.integrationId)).toBeNull()
    const store = (connection: Connection) => {
      const projected = projectChargeback({ ...reading(), connection })
      return storeChargebacks(stage.db, stage.ring, at.integrationId, {
        chargebacks: projected ? [projected.columns] : [],
        raw: [],
        timeline: projected?.timeline ?? [],
        rulesVersion: connection.rulesVersion,
        now: new Date(),
      })
    }
    await store((await loadConnection(stage.db, at.integrationId)) as Connection)
    expect(await dueScopeRun(stage.db, at.integrationId)).toBeNull()
    await store(before)
    expect(await dueScopeRun(stage.db, at.integrationId)).toMatchObject({ asked: version + 1 })
  })
})

const reading = () => ({
  facts: {
    ...{ chargebackId: `du_${randomUUID()}`, psp: 'stripe', currency: 'USD', amountMinor: 100n, amountExponent: 2 },
    ...{ postingDate: null, transactionCreatedDate: null, dueDate: null, pspStatusChangeDate: null, arn: null },
    ...{ pspStatus: 'needs_response', lifecycleStage: 'chargeback', transactionId: null, merchantReferenceName: null },
    ...{ externalTransactionIdentifier: null, reasonCode: null, reason: null, cardScheme: null, paymentMethod: null },
    ...{ bin: null, cardLastFourDigits: null, billingCountry: null, pspSequence: null },
  } as ChargebackFacts,
  anomalies: [],
  stored: null,
  closedCases: () => ({ won: 0, lost: 0 }),
  account: 'acct_1',
  pspAccount: 'acct_1',
  hash: Buffer.alloc(32),
  readAt: new Date(),
  now: new Date(),
  translationVersion: 1,
})
