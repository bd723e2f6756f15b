import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

async function calibrate(...args: string[]) {
  let output = ''
  const code = await runCommandLine(['assessment', 'calibrate', '--json', ...args], {
    env: { DATABASE_URL: stage.database.url },
    out: (text) => {
      output += text
    },
    err: (text) => {
      output += text
    },
  })
  expect(code, output).toBe(0)
  return JSON.parse(output)
}

const nothing = { predicted: 'all', cases: 0, meanPredicted: null, won: null, brier: null }

describe('npm run recoup -- assessment calibrate', () => {
  it('says that there is nothing to measure yet', async () => {
    expect(await calibrate()).toEqual([nothing])
  })

  it('compares win probabilities with the outcomes of contested cases, by tenths and in total', async () => {
    const at = {
      merchantUuid: stage.merchantUuid,
      integrationId: await addIntegration(stage.db, stage.ring, stage.merchantUuid),
    }
    const closed = (win_probability: string | null, psp_status: string, answered = true) =>
      addChargeback(stage.db, at, { status: 'pending_psp_results', win_probability, psp_status, answered })
    for (const outcome of ['won', 'won', 'won', 'lost']) await closed('75', outcome)
    for (const outcome of ['lost', 'split']) await closed('20', outcome)
    await closed('100', 'won')
    // Not counted: cases without a response, a win probability or an outcome.
    await closed('90', 'lost', false)
    await closed(null, 'won')
    await closed('50', 'under_review')
    const all = { predicted: 'all', cases: 7, meanPredicted: 62.9, won: 64.3, brier: 0.1257 }
    expect(await calibrate()).toEqual([
      { predicted: '20–30', cases: 2, meanPredicted: 20, won: 25, brier: 0.065 },
      { predicted: '70–80', cases: 4, meanPredicted: 75, won: 75, brier: 0.1875 },
      { predicted: '90–100', cases: 1, meanPredicted: 100, won: 100, brier: 0 },
      all,
    ])
    expect((await calibrate('--source', 'stripe')).at(-1)).toEqual(all)
    expect(await calibrate('--source', 'paypal')).toEqual([nothing])
    const other = await stage.newMerchant(stage.accountId)
    expect(await calibrate('--merchant', other.merchantUuid)).toEqual([nothing])
  })
})
