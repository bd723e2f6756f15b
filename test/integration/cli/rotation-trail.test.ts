import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endRotation, sweepRotations } from '../../../db/integrations/secret-rotations.ts'
import { until } from '../../harness/until.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { operatorsOf } from './audit-fixture.ts'

let stage: Stage
let operators: ReturnType<typeof operatorsOf>
let integrationId: string
beforeAll(async () => {
  stage = await createStage()
  operators = operatorsOf(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
})

const rotate = () => operators.recoup(['integration', 'rotate', integrationId, '--reason', 'It leaked.'])
const waiting = () =>
  until('a rotation waits', () =>
    stage.db
      .selectFrom('secret_rotation')
      .select('rotation_id')
      .where('integration_id', '=', integrationId)
      .where('outcome', 'is', null)
      .executeTakeFirst(),
  )
const trail = async () =>
  (await operators.json('audit', 'list', '--on', integrationId)).map(
    ({ operator, outcome, reason, details }: Record<string, { secret?: string; code?: string }>) => ({
      ...{ operator, outcome, reason, secret: details?.secret, code: details?.code },
    }),
  )
const by = { operator: 'alice', reason: 'It leaked.' }
const started = { ...by, outcome: 'started', secret: undefined, code: undefined }

describe('the end of a rotation that an operator requested is in the trail', () => {
  test.each([
    ['replaced', null],
    ['refused', 'secret_refused'],
  ] as const)('%s by the PSP', async (outcome, code) => {
    const requested = rotate()
    const row = await waiting()
    expect(await trail()).toEqual([started])
    await endRotation(stage.db, row?.rotation_id as string, { outcome, code })
    await requested
    expect(await trail()).toEqual([{ ...by, outcome: 'done', secret: outcome, code }, started])
  })

  test('withdrawn because a client requested another', async () => {
    const requested = rotate()
    await waiting()
    const body = { secretType: 'APIKEY_ONLY', secretPayload: { apiKey: 'rk_test_plantedByTheClient' } }
    await stage.call('PATCH', `/v1/integrations/${integrationId}`, { body })
    expect((await requested).code).toBe(1)
    const superseded = { ...by, outcome: 'done', secret: 'withdrawn', code: 'rotation_superseded' }
    // The client's own rotation is not an operator's action.
    expect(await trail()).toEqual([superseded, started])
  })

  test('withdrawn by the sweep, when it has expired', async () => {
    const requested = rotate()
    const row = await waiting()
    await sql`update secret_rotation set expires_at = now() where rotation_id = ${row?.rotation_id}`.execute(stage.db)
    await sweepRotations(stage.db)
    await requested
    expect(await trail()).toEqual([{ ...by, outcome: 'done', secret: 'withdrawn', code: null }, started])
  })
})
