import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../adapters/conformance/run.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { SUITES } from '../../../adapters/conformance/suites.ts'

describe.each(SUBJECTS)('adapter $definition.displayName against its simulator', (subject) => {
  describe.each(SUITES)('$name', (suite) => {
    test.each(suite.checks)('$name', async (check) => {
      const { outcome, reason } = await runCheck(subject, check)
      if (outcome === 'skipped') return expect(reason).not.toBe('')
      expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: null })
    })
  })
})
