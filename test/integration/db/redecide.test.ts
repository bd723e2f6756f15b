import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redecideChargebacks } from '../../../db/redecide.ts'
import { addChargeback, addIntegration } from '../api/chargeback-rows.ts'
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
  test('moves what differs, says so in the timeline, and leaves the rest', async () => {
    const at = await place()
    const id = await addChargeback(stage.db, at, { card_scheme: 'amex', reason_group: 'fraud' })
    const how = { now: new Date(), source: 'test', cause: { why: 'nothing' } }
    expect(await redecideChargebacks(stage.db, { chargebackIds: [id] }, how)).toMatchObject({
      seen: 1,
      changed: 1,
      moved: 0,
    })
    expect(await redecideChargebacks(stage.db, { chargebackIds: [id] }, how)).toMatchObject({ seen: 1, changed: 0 })
    await stage.db.updateTable('chargeback').set({ should_fight: false }).where('id', '=', id).execute()
    const again = await redecideChargebacks(stage.db, { chargebackIds: [id, randomUUID()] }, how)
    expect(again).toEqual({ seen: 1, changed: 1, moved: 1, next: null })
    expect(await read(id)).toMatchObject({
      status: 'not_represented',
      scope_decision: { by: 'should_fight', inScope: false },
      win_probability: null,
      version: 3n,
    })
    expect((await timeline(id)).at(-1)).toEqual({
      source: 'test',
      what: 'status changed',
      before: { status: 'waiting_for_data', reason: 'More data is needed to build evidence.' },
      after: { status: 'not_represented', reason: 'The client decided not to fight.', why: 'nothing' },
    })
  })
})
