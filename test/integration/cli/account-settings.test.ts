import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

async function settings(...args: string[]) {
  let output = ''
  const write = (text: string) => {
    output += text
  }
  const code = await runCommandLine(['account', 'settings', '--account', stage.accountId, '--json', ...args], {
    env: { DATABASE_URL: stage.database.url },
    out: write,
    err: write,
  })
  return { code, output, shown: code === 0 ? JSON.parse(output) : null }
}
const evaluations = () =>
  stage.db.selectFrom('outbox').select('payload').where('kind', '=', 'reevaluate_scope').execute()
const newChargeback = async () => {
  const id = await addChargeback(stage.db, at)
  await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: { note: 1 } })
  return (await stage.call('GET', `/v1/chargebacks/${id}`)).body.data
}

describe('npm run recoup -- account settings', () => {
  it('shows the defaults', async () => {
    expect((await settings()).shown).toMatchObject({
      accountId: stage.accountId,
      represent: true,
      enrichmentThreshold: 0.8,
      dataWindowHours: 72,
      assessment: { feeShare: 0, prior: { fraud: -1.4 }, costs: { USD: { floor: 20 } } },
    })
    expect(await evaluations()).toEqual([])
  })

  it('sets some, keeps the others, and has the chargebacks decided again', async () => {
    const before = await newChargeback()
    const own = { prior: { fraud: 1 }, costs: { USD: { fighting: 0, escalation: 0, floor: 1 } } }
    const { shown } = await settings('--set', JSON.stringify({ enrichmentThreshold: 0, assessment: own }))
    expect(shown).toMatchObject({
      enrichmentThreshold: 0,
      dataWindowHours: 72,
      assessment: { prior: { fraud: 1, general: -1 }, costs: { USD: { floor: 1 }, EUR: { floor: 20 } } },
    })
    expect(await evaluations()).toEqual([{ payload: { integrationId: at.integrationId } }])
    const after = await newChargeback()
    expect(before).toMatchObject({ status: 'waiting_for_data', roiRecommendation: 'Accept' })
    expect(after).toMatchObject({ status: 'building_evidence', roiRecommendation: 'Fight' })
    expect(after.winProbability).toBeGreaterThan(before.winProbability + 30)
    await settings('--set', JSON.stringify({ enrichmentThreshold: null, assessment: null }))
    expect(await newChargeback()).toMatchObject({ status: 'waiting_for_data', winProbability: before.winProbability })
  })

  it.each([
    ['nonsense', 'must be JSON'],
    ['{"represent": 1, "dataWindowHours": -1}', 'represent: .*; dataWindowHours: '],
    ['{"assessment": {"prior": {"theft": 1}}}', 'assessment.prior'],
    ['{"dataPoints": []}', 'dataPoints'],
  ])('refuses %s', async (set, message) => {
    expect(await settings('--set', set)).toMatchObject({ code: 2, output: expect.stringMatching(message) })
  })
})
