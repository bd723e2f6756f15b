import { describe, expect, test } from 'vitest'
import { type Decided, decideChargeback, type Subject, storedScope, type Terms } from '../../../domain/decision.ts'

const now = new Date('2026-03-10T12:00:00Z')
const day = (count: number) => new Date(now.getTime() + count * 86_400_000)

const terms: Terms = {
  goLiveDate: null,
  goLiveWaits: false,
  integrationDeactivation: null,
  merchantDeactivation: null,
  settings: {},
  scope: { version: 4, rules: { cardSchemes: ['amex'], chargebackAmount: { min: 20 } } },
}
const subject: Subject = {
  pspStatus: 'needs_response',
  lifecycleStage: 'chargeback',
  postingDate: day(-2),
  dueDate: day(10),
  reasonGroup: 'fraud',
  reasonCode: '10.4',
  cardScheme: 'visa',
  paymentMethod: 'card',
  currency: 'USD',
  amountMinor: 5000n,
  amountExponent: 2,
  present: [],
}
const before: Decided = {
  status: 'waiting_for_data',
  statusReason: 'More data is needed to build evidence.',
  pspStatus: 'needs_response',
  lifecycleStage: 'chargeback',
  round: 1,
  shouldFight: null,
  accepted: false,
  submitted: false,
  atWork: null,
  winProbability: 12.3,
  recommendation: 'Accept',
}
const decide = (change: Partial<Subject> = {}, was: Partial<Decided> | null = null, termsChange: Partial<Terms> = {}) =>
  decideChargeback({ ...terms, ...termsChange }, { ...subject, ...change }, was && { ...before, ...was }, now)

describe('the decision about scope', () => {
  test('by a rule: its version, dimension and value are in the record and in the reason', () => {
    const decided = decide({ cardScheme: 'amex' })
    expect(decided.scope).toEqual({
      by: 'scope_rule',
      inScope: false,
      version: 4,
      dimension: 'cardSchemes',
      value: 'amex',
    })
    expect([decided.status, decided.reason]).toEqual([
      'not_represented',
      "It is out of scope: cardSchemes amex, by version 4 of the integration's rules.",
    ])
    expect(decide({ amountMinor: 1999n }).scope).toMatchObject({ dimension: 'chargebackAmount', value: '19.99' })
  })

  test.each([true, false])('by the client, whatever rules and contract say: %s', (shouldFight) => {
    for (const cardScheme of ['amex', 'visa'] as const)
      for (const represent of [true, false]) {
        const decided = decide({ cardScheme }, { shouldFight }, { settings: { represent } })
        expect(decided.scope).toEqual({ by: 'should_fight', inScope: shouldFight })
        expect(decided.status).toBe(shouldFight ? 'building_evidence' : 'not_represented')
      }
  })

  test('by the contract, if nothing else decides; that it represents is not stored', () => {
    expect(decide().scope).toEqual({ by: 'contract', inScope: true })
    expect(storedScope(decide().scope)).toBeNull()
    const excluded = decide({}, null, { settings: { represent: false } })
    expect(storedScope(excluded.scope)).toEqual({ by: 'contract', inScope: false })
    expect(excluded.status).toBe('not_represented')
    expect(decide({ cardScheme: 'amex' }, null, { scope: null }).scope.by).toBe('contract')
  })
})

describe('of two deactivations', () => {
  test('the one that excludes the chargeback counts, even if the other comes first and does not exclude it', () => {
    const byPosting = { type: 'postingDate', date: day(-1) } as const
    const byDue = { type: 'dueDate', date: day(0) } as const
    for (const [integrationDeactivation, merchantDeactivation] of [
      [byPosting, byDue],
      [byDue, byPosting],
    ] as const)
      expect(decide({}, before, { integrationDeactivation, merchantDeactivation }).reason).toMatch(/deactivated/)
    expect(decide({}, before, { integrationDeactivation: byPosting }).status).toBe('waiting_for_data')
  })
})

describe('a command in progress', () => {
  test.each(['acceptance', 'evidence_submission'] as const)('%s: only the PSP moves the chargeback', (atWork) => {
    const out = { cardScheme: 'amex' } as const
    expect(decide(out, { atWork }).status).toBe('waiting_for_data')
    expect(decide({ ...out, dueDate: day(-1) }, { atWork }).status).toBe('waiting_for_data')
    expect(decide({}, { atWork, status: 'not_represented' }).status).toBe('not_represented')
    expect(decide({ pspStatus: 'under_review' }, { atWork }).status).toBe('pending_psp_results')
    // Lost, maybe through our own acceptance: its completion sets the status, once.
    const lost = atWork === 'acceptance' ? 'waiting_for_data' : 'not_represented'
    for (const pspStatus of ['lost', 'evidence_not_submitted_by_psp'] as const)
      expect(decide({ pspStatus }, { atWork }).status).toBe(lost)
    expect(decide({ ...out, lifecycleStage: 'second_chargeback' }, { atWork })).toMatchObject({
      status: 'not_represented',
      round: 2,
    })
  })
})

describe('win probability and recommendation', () => {
  test('are present while a response is possible and the chargeback is handled', () => {
    expect(decide().winProbability).toBeGreaterThan(0)
    expect(decide({ cardScheme: 'amex' })).toMatchObject({ winProbability: null, recommendation: null })
    expect(decide({ pspStatus: 'won' }).winProbability).toBeNull()
  })

  test('are frozen from the submission on, and are calculated again in a new round', () => {
    const frozen = { winProbability: 12.3, recommendation: 'Accept' }
    expect(decide({}, { atWork: 'evidence_submission' })).toMatchObject(frozen)
    expect(decide({ pspStatus: 'won' }, { submitted: true, status: 'pending_psp_results' })).toMatchObject(frozen)
    const reopened = decide({ lifecycleStage: 'second_chargeback' }, { submitted: true, status: 'pending_psp_results' })
    expect(reopened.round).toBe(2)
    expect(reopened.winProbability).not.toBe(12.3)
  })

  test('data raises the enrichment ratio and the win probability', () => {
    const present = ['transactionOrderIpAddress', 'transactionOrderDeviceId', 'transactionOrderEmail']
    const [poor, rich] = [decide(), decide({ present })]
    expect(rich.enrichmentRatio).toBeGreaterThan(poor.enrichmentRatio)
    expect(rich.winProbability as number).toBeGreaterThan(poor.winProbability as number)
  })
})
