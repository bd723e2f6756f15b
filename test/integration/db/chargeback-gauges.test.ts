import { afterAll, beforeAll, expect, test } from 'vitest'
import { amountsAtRisk, countChargebacksDueSoon } from '../../../db/core/gauges.ts'
import { createMetrics } from '../../../workflows/worker/metrics.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
let add: (values: Parameters<typeof addChargeback>[2]) => Promise<string>
beforeAll(async () => {
  stage = await createStage()
  const integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
  add = (values) => addChargeback(stage.db, { merchantUuid: stage.merchantUuid, integrationId }, values)
})
afterAll(() => stage[Symbol.asyncDispose]())

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)

test('chargebacks are due soon without a response and within three days of their due date', async () => {
  const open = { psp_status: 'needs_response', status: 'building_evidence' }
  await add({ ...open, due_date: inHours(71) })
  await add({ ...open, psp: 'adyen', status: 'waiting_for_data', due_date: inHours(1) })
  const kept = await add({ ...open, due_date: inHours(73) })
  await add({ ...open, due_date: inHours(-1) })
  await add({ ...open, due_date: null })
  await add({ ...open, status: 'pending_psp_results', due_date: inHours(2) })
  await add({ ...open, due_date: inHours(2), merged_into: kept })
  const counted = await countChargebacksDueSoon(stage.db)
  expect(counted.toSorted((one, other) => one.of.localeCompare(other.of))).toEqual([
    { of: 'adyen', value: 1 },
    { of: 'stripe', value: 1 },
  ])
})

test('amounts at risk are the sums of what no PSP has decided, in major units of each currency', async () => {
  await stage.db.updateTable('chargeback').set({ psp_status: 'won', merged_into: null }).execute()
  const euros = { currency: 'EUR', amount_exponent: 2, psp_status: 'needs_response' }
  const kept = await add({ ...euros, amount_minor: 1_050n })
  await add({ ...euros, amount_minor: 25n, psp_status: 'under_review' })
  await add({ ...euros, amount_minor: 7_777n, psp_status: 'lost' })
  await add({ ...euros, amount_minor: 7_777n, merged_into: kept })
  await add({ currency: 'JPY', amount_exponent: 0, amount_minor: 900n, psp_status: 'unknown' })
  await add({ currency: 'KWD', amount_exponent: 3, amount_minor: 1_234n, psp_status: 'needs_response' })
  const text = await createMetrics(stage.db, { ahead: () => null }, 'http://127.0.0.1:1/').render()
  const lines = text.split('\n').filter((line) => line.startsWith('chargebacks_at_risk_amount'))
  expect(lines.toSorted()).toEqual([
    'chargebacks_at_risk_amount{currency="EUR"} 10.75',
    'chargebacks_at_risk_amount{currency="JPY"} 900',
    'chargebacks_at_risk_amount{currency="KWD"} 1.234',
  ])
  expect(await amountsAtRisk(stage.db)).toHaveLength(3)
})
