import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'
import { operatorsOf } from './audit-fixture.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

async function lose(chargebackId: string): Promise<void> {
  const id = await addChargeback(stage.db, at, { chargeback_id: chargebackId })
  await stage.db
    .insertInto('timeline_event')
    .values({
      ...{ merchant_uuid: at.merchantUuid, chargeback_id: id, source: 'stripe', what: 'pspStatus changed' },
      ...{ before: '{"pspStatus": "under_review"}', after: '{"pspStatus": "lost"}' },
    })
    .execute()
  await until('it is sequenced', async () => {
    await sequence(stage.db)
    return (await sequencerLag(stage.db)) === 0
  })
}

test('prints each event when it comes, and all of the log when asked', async () => {
  const lines: string[] = []
  const env = { DATABASE_URL: stage.database.url, RECOUP_ENCRYPTION_KEYS: stage.keys }
  await lose('du_before')
  const listening = runCommandLine(['listen', '--limit', '2'], {
    env,
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
  })
  // The first is written again and again until the command has begun to listen.
  let written = 0
  await until('the first is printed', async () => {
    await lose(`du_${written++}`)
    return lines.length > 0
  })
  await lose('du_last')
  expect(await listening).toBe(0)
  expect(lines.length).toBe(2)
  expect(lines.join('\n')).not.toContain('du_before')
  expect(lines[0]).toMatch(
    new RegExp(
      `^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  chargeback.lost {13}  ${stage.referenceId}  du_\\d+  10.99 USD  pspStatus changed$`,
    ),
  )

  const { recoup } = operatorsOf(stage)
  const { out } = await recoup(['listen', '--all', '--json', '--types', 'chargeback.*', '--limit', '1'])
  expect(JSON.parse(out)).toMatchObject({
    type: 'chargeback.lost',
    data: { chargeback: { chargebackId: 'du_before' } },
  })
  const wrong = await recoup(['listen', '--types', 'chargeback.lots'])
  expect([wrong.code, wrong.err]).toEqual([
    2,
    expect.stringContaining('"chargeback.lots" is not one of *, chargeback.*'),
  ])
})
