import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../../adapters/conformance/run.ts'
import { adyenSubject } from '../../../../adapters/conformance/subject-adyen.ts'
import { SUITES } from '../../../../adapters/conformance/suites.ts'

describe('adapter Adyen against its simulator', () => {
  describe.each(SUITES)('$name', (suite) => {
    test.for(suite.checks)('$name', async (check, { skip }) => {
      const { outcome, reason } = await runCheck(adyenSubject, check)
      if (outcome === 'skipped') skip(reason ?? 'without a reason')
      expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: null })
    })
  })

  test('every skip names a check that exists', () => {
    const names = SUITES.flatMap((suite) => suite.checks.map((check) => check.name))
    for (const name of Object.keys(adyenSubject.skips)) expect(names).toContain(name)
  })
})
