import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LIFECYCLE_STAGES, PSP_STATUSES, STATUSES } from '../../../domain/chargeback.ts'
import { decideStatus, type HandlingInput } from '../../../domain/handling.ts'
import { isHigherStage } from '../../../domain/psp-facts.ts'

const now = new Date('2026-03-10T12:00:00Z')
const day = fc.integer({ min: -20, max: 20 }).map((count) => new Date(now.getTime() + count * 86_400_000))

const input: fc.Arbitrary<HandlingInput> = fc.record({
  now: fc.constant(now),
  current: fc.option(
    fc.record({
      status: fc.constantFrom(...STATUSES),
      statusReason: fc.constant('It was so before.'),
      pspStatus: fc.constantFrom(...PSP_STATUSES),
      lifecycleStage: fc.constantFrom(...LIFECYCLE_STAGES),
      round: fc.integer({ min: 1, max: 3 }),
    }),
  ),
  pspStatus: fc.constantFrom(...PSP_STATUSES),
  lifecycleStage: fc.constantFrom(...LIFECYCLE_STAGES),
  dueDate: fc.option(day),
  postingDate: fc.option(day),
  enrichmentRatio: fc.constantFrom(0, 0.5, 0.8, 1),
  shouldFight: fc.constantFrom(null, null, true, false),
  accepted: fc.boolean(),
  submitted: fc.boolean(),
  outOfScope: fc.constantFrom(null, null, 'Scope rule 3.'),
  live: fc.record({ goLiveDate: fc.option(day), waits: fc.boolean() }),
  deactivation: fc.option(fc.record({ type: fc.constantFrom('postingDate', 'dueDate'), date: day })),
  represent: fc.boolean(),
  threshold: fc.constant(0.8),
})
const check = (property: (one: HandlingInput) => void) => fc.assert(fc.property(input, property), { numRuns: 5000 })

/** Transitions of each status without a new round (docs/chargeback-life.md), including chains of two. */
const TRANSITIONS = {
  waiting_for_data: ['waiting_for_data', 'building_evidence', 'pending_psp_results', 'not_represented'],
  building_evidence: ['building_evidence', 'waiting_for_data', 'pending_psp_results', 'not_represented'],
  not_represented: ['not_represented', 'waiting_for_data', 'building_evidence', 'pending_psp_results'],
  pending_psp_results: ['pending_psp_results'],
}

describe('deciding about any chargeback', () => {
  test('gives a status of the interface and a sentence', () => {
    check((one) => {
      const { status, reason } = decideStatus(one)
      expect(STATUSES).toContain(status)
      expect(reason).toMatch(/^[A-Z].*\.$/)
    })
  })

  test('takes only the transitions of the table', () => {
    check((one) => {
      const decided = decideStatus(one)
      if (!one.current || decided.round !== one.current.round) return
      expect(TRANSITIONS[one.current.status]).toContain(decided.status)
      // Only an evidence submission leads from not_represented to the PSP.
      if (one.current.status === 'not_represented' && decided.status === 'pending_psp_results')
        expect(one.submitted).toBe(true)
    })
  })

  test('opens a new round exactly when a new response is needed: at a higher stage, or after an earlier one', () => {
    check((one) => {
      const before = one.current?.round ?? 0
      const asks =
        one.current === null ||
        (one.pspStatus === 'needs_response' &&
          (isHigherStage(one.current.lifecycleStage, one.lifecycleStage) ||
            !['needs_response', 'unknown'].includes(one.current.pspStatus) ||
            (one.current.pspStatus === 'unknown' &&
              (one.current.status === 'pending_psp_results' || one.accepted || one.submitted))))
      expect(decideStatus(one).round).toBe(before + (asks ? 1 : 0))
    })
  })

  test('gives the same result twice', () => {
    check((one) => {
      const { status, reason, round } = decideStatus(one)
      const same = one.current?.round === round
      const current = {
        status,
        statusReason: reason,
        pspStatus: one.pspStatus,
        lifecycleStage: one.lifecycleStage,
        round,
      }
      // What was accepted or submitted in the round before does not count in a new one.
      const again = { ...one, current, accepted: same && one.accepted, submitted: same && one.submitted }
      expect(decideStatus(again)).toMatchObject({ status, round })
    })
  })

  test('never asks for data or builds evidence after the due date or an acceptance', () => {
    check((one) => {
      const decided = decideStatus(one)
      if (decided.status !== 'waiting_for_data' && decided.status !== 'building_evidence') return
      expect(one.dueDate === null || one.dueDate > now).toBe(true)
      expect(one.accepted && decided.round === one.current?.round).toBe(false)
      expect(one.shouldFight).not.toBe(false)
    })
  })
})
