import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LIFECYCLE_STAGES } from '../../../domain/chargeback.ts'
import { isHigherStage, isNewer, stageRank } from '../../../domain/psp-facts.ts'

const at = (day: number | null, pspSequence: bigint | null = null) => ({
  pspStatusChangeDate: day === null ? null : new Date(Date.UTC(2026, 2, day)),
  pspSequence,
})

describe('whether a fact may replace the stored one', () => {
  test.each([
    ['a later time', at(1), at(2), true],
    ['an earlier time', at(2), at(1), false],
    ['an earlier time with a later sequence', at(2, 1n), at(1, 9n), false],
    ['the same time and a later sequence', at(1, 1n), at(1, 2n), true],
    ['the same time and an earlier sequence', at(1, 2n), at(1, 1n), false],
    ['no time and an earlier sequence', at(null, 2n), at(1, 1n), false],
    ['the same fact again', at(1, 1n), at(1, 1n), true],
    ['a time after none', at(null), at(1), true],
    ['no time after one', at(1), at(null), true],
    ['nothing that orders them', at(null), at(null), true],
  ])('%s', (_, stored, incoming, expected) => {
    expect(isNewer(stored, incoming)).toBe(expected)
  })

  test('two facts are never each older than the other', () => {
    const fact = fc.record({
      pspStatusChangeDate: fc.option(fc.date({ noInvalidDate: true })),
      pspSequence: fc.option(fc.bigInt({ min: 0n, max: 5n })),
    })
    fc.assert(fc.property(fact, fact, (a, b) => isNewer(a, b) || isNewer(b, a)))
  })
})

describe('order of stages', () => {
  test('goes from alert to third chargeback', () => {
    const ordered = LIFECYCLE_STAGES.filter((stage) => stage !== 'other')
    expect(ordered.map(stageRank)).toEqual([0, 1, 2, 3, 4, 5])
    expect(isHigherStage('inquiry', 'chargeback')).toBe(true)
    expect(isHigherStage('chargeback', 'inquiry')).toBe(false)
    expect(isHigherStage('chargeback', 'chargeback')).toBe(false)
  })

  test('does not include other', () => {
    expect(stageRank('other')).toBeNull()
    for (const stage of LIFECYCLE_STAGES) {
      expect(isHigherStage('other', stage)).toBe(false)
      expect(isHigherStage(stage, 'other')).toBe(false)
    }
  })
})
