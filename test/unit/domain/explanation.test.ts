import { describe, expect, it } from 'vitest'
import { type Assessed, explainChargeback } from '../../../domain/assessment/explanation.ts'

const chargeback: Assessed = {
  ...{ status: 'waiting_for_data', statusReason: 'So.', pspStatus: 'needs_response', lifecycleStage: 'chargeback' },
  ...{ winProbability: 50, recommendation: 'Fight', scope: null, settings: {}, joinable: false, claimMissing: [] },
  ...{ reasonGroup: 'compliance', cardScheme: 'visa', currency: 'USD', amountMinor: 1000n, amountExponent: 2 },
  ...{ dueDate: null, now: new Date(), present: [], closedCases: { won: 0, lost: 0 } },
  compellingEvidence: { applies: false, eligible: false, why: 'So.', matched: [], transactionIds: [], missing: [] },
}
const missing = (change: Partial<Assessed>) => explainChargeback({ ...chargeback, ...change }).missingDataPoints

describe('missing data points', () => {
  it('are those that the data points of the chargeback can provide', () => {
    expect(missing({})).toEqual(['transactionArn', 'transactionOrderEmail', 'transactionStatus'])
  })

  it('are those of the account’s own list, if it has one', () => {
    expect(missing({ settings: { dataPoints: ['transactionStatus', 'other'] } })).toEqual(['transactionStatus'])
  })

  it('are also those that would answer the claim, each once, after those of the reason group', () => {
    const claimMissing = ['deliveryDate', 'transactionOrderEmail', 'transactionCreatedDate']
    expect(missing({ claimMissing })).toEqual([
      'transactionArn',
      'transactionOrderEmail',
      'transactionStatus',
      'deliveryDate',
    ])
    expect(missing({ claimMissing, settings: { dataPoints: [] }, joinable: true })).not.toContain('deliveryDate')
  })

  it('are all that a transaction record can provide, if one can be joined', () => {
    const all = ['transactionArn', 'transactionCreatedDate', 'transactionOrderEmail', 'transactionStatus']
    expect(missing({ joinable: true })).toEqual(all)
    expect(missing({ joinable: true, settings: { dataPoints: [] } })).toEqual(all)
    expect(missing({ joinable: true, present: ['arn', 'transactionStatus'] })).toEqual([all[1], all[2]])
  })
})
