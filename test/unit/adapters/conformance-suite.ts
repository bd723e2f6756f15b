import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../adapters/conformance/run.ts'
import type { Subject } from '../../../adapters/conformance/subject.ts'
import { SUITES } from '../../../adapters/conformance/suites.ts'
import type { Proof } from '../../../scripts/capabilities.ts'

/** Every check of the kit as a test. @returns the results, complete when the tests have run */
export function testAdapter(subject: Subject): Proof['results'][number][] {
  const found: Proof['results'][number][] = []
  describe(`adapter ${subject.definition.displayName} against its simulator`, () => {
    describe.each(SUITES)('$name', (suite) => {
      test.for(suite.checks)('$name', async (check, { skip }) => {
        const { outcome, reason } = await runCheck(subject, check)
        found.push({ suite: suite.name, check: check.name, outcome, reason })
        if (outcome === 'skipped') skip(reason ?? 'without a reason')
        expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: null })
      })
    })

    test('every skip names a check that exists', () => {
      const names = SUITES.flatMap((suite) => suite.checks.map((check) => check.name))
      for (const name of Object.keys(subject.skips)) expect(names).toContain(name)
      expect(new Set(names).size).toBe(names.length)
    })
  })
  return found
}
