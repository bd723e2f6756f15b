import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Assessment, type AssessmentInput, assess } from '../../../domain/assessment/assess.ts'
import { ASSESSMENT_DEFAULTS, EVIDENCE_SIGNALS } from '../../../domain/assessment/defaults.ts'
import { CARD_SCHEMES, LIFECYCLE_STAGES, PSP_STATUSES, REASON_GROUPS } from '../../../domain/chargeback.ts'
import { missingDataPoints } from '../../../domain/enrichment.ts'

const now = new Date('2026-03-10T00:00:00Z')
const far = new Date('2026-03-30T00:00:00Z')
const near = new Date('2026-03-11T00:00:00Z')

const open: AssessmentInput = {
  now,
  pspStatus: 'needs_response',
  dueDate: far,
  lifecycleStage: 'chargeback',
  reasonGroup: 'fraud',
  cardScheme: 'visa',
  currency: 'USD',
  amountMinor: 100_00n,
  amountExponent: 2,
  present: [],
  closedCases: { won: 0, lost: 0 },
}
const of = (change: Partial<AssessmentInput>) => assess({ ...open, ...change }) as Assessment

describe('whether a chargeback gets an assessment', () => {
  test.each(PSP_STATUSES.filter((status) => status !== 'needs_response'))('not if it is %s', (pspStatus) => {
    expect(assess({ ...open, pspStatus })).toBeNull()
  })

  test('not if it is overdue', () => {
    expect(assess({ ...open, dueDate: now })).toBeNull()
  })

  test('also without a due date', () => {
    expect(assess({ ...open, dueDate: null })).not.toBeNull()
  })
})

describe('win probability', () => {
  test('without evidence or history is the prior of its reason group', () => {
    expect(of({}).winProbability).toBe(19.8)
    expect(of({}).reasons).toEqual([{ name: 'reason_group:fraud', effect: 19.8 }])
  })

  test.each(EVIDENCE_SIGNALS)('%s raises it', (signal) => {
    expect(of({ signals: [signal] }).winProbability).toBeGreaterThan(of({}).winProbability)
  })

  test('a later stage lowers it', () => {
    expect(of({ lifecycleStage: 'second_chargeback' }).winProbability).toBeLessThan(of({}).winProbability)
  })

  test('approaches the merchant’s own record as cases accumulate', () => {
    const few = of({ closedCases: { won: 9, lost: 1 } }).winProbability
    const many = of({ closedCases: { won: 9000, lost: 1000 } }).winProbability
    expect(few).toBeGreaterThan(of({}).winProbability)
    expect(few).toBeLessThan(many)
    expect(many).toBeCloseTo(90, 0)
  })

  test('is a percentage with one decimal, explained in full, and more data never lowers it', () => {
    const input = fc.record({
      lifecycleStage: fc.constantFrom(...LIFECYCLE_STAGES),
      reasonGroup: fc.constantFrom(...REASON_GROUPS),
      cardScheme: fc.option(fc.constantFrom(...CARD_SCHEMES)),
      signals: fc.subarray([...EVIDENCE_SIGNALS]),
      closedCases: fc.record({ won: fc.nat(500), lost: fc.nat(500) }),
      dueDate: fc.constantFrom(null, near, far),
    })
    fc.assert(
      fc.property(input, (change) => {
        const bare = of(change)
        const { winProbability, reasons } = of({ ...change, present: missingDataPoints(change.reasonGroup, []) })
        expect(winProbability).toBeGreaterThanOrEqual(bare.winProbability)
        expect(winProbability).toBeLessThanOrEqual(100)
        expect(bare.winProbability).toBeGreaterThanOrEqual(0)
        expect(Number(winProbability.toFixed(1))).toBe(winProbability)
        expect(reasons.reduce((sum, { effect }) => sum + effect, 0)).toBeCloseTo(winProbability, 5)
      }),
    )
  })
})

describe('recommendation', () => {
  test('Fight when it pays', () => {
    expect(of({ dueDate: near, amountMinor: 500_00n }).recommendation).toBe('Fight')
  })

  test('Accept when the expected gain is below the cost', () => {
    expect(of({ dueDate: near, amountMinor: 60_00n }).recommendation).toBe('Accept')
  })

  test('Accept below the floor, however certain', () => {
    const sure = { closedCases: { won: 1_000_000, lost: 0 } }
    const parameters = { ...ASSESSMENT_DEFAULTS, costs: { USD: { fighting: 1, escalation: 0, floor: 20 } } }
    expect(of({ ...sure, parameters, amountMinor: 19_99n }).recommendation).toBe('Accept')
    expect(of({ ...sure, parameters, amountMinor: 20_00n }).recommendation).toBe('Fight')
  })

  test('is never Accept only because data is missing while the due date is far', () => {
    const change = { amountMinor: 60_00n }
    expect(of({ ...change, dueDate: far })).toMatchObject({ winProbability: 19.8, recommendation: 'Fight' })
    expect(of({ ...change, dueDate: null }).recommendation).toBe('Fight')
    expect(of({ ...change, dueDate: near })).toMatchObject({ winProbability: 19.8, recommendation: 'Accept' })
  })

  test('counts the share that fees take', () => {
    const parameters = { ...ASSESSMENT_DEFAULTS, feeShare: 1 }
    expect(of({ parameters, amountMinor: 9_999_00n }).recommendation).toBe('Accept')
  })

  test('assumes no cost in a currency without configured costs', () => {
    expect(of({ currency: 'JPY', amountExponent: 0, amountMinor: 500n }).recommendation).toBe('Fight')
    expect(of({ currency: 'JPY', amountExponent: 0, amountMinor: 0n }).recommendation).toBe('Accept')
  })
})
