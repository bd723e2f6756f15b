import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../../adapters/conformance/run.ts'
import { paypalSubject } from '../../../../adapters/conformance/subject-paypal.ts'
import { SUITES } from '../../../../adapters/conformance/suites.ts'

describe('adapter PayPal against its simulator', () => {
  describe.each(SUITES)('$name', (suite) => {
    test.for(suite.checks)('$name', async (check, { skip }) => {
      const { outcome, reason } = await runCheck(paypalSubject, check)
      if (outcome === 'skipped') skip(reason ?? 'without a reason')
      expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: null })
    })
  })

  test('every skip names a check that exists', () => {
    const names = SUITES.flatMap((suite) => suite.checks.map((check) => check.name))
    for (const name of Object.keys(paypalSubject.skips)) expect(names).toContain(name)
  })
})
