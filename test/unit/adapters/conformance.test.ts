import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../adapters/conformance/run.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { SUITES } from '../../../adapters/conformance/suites.ts'

describe.each(SUBJECTS)('adapter $definition.displayName against its simulator', (subject) => {
  describe.each(SUITES)('$name', (suite) => {
    test.for(suite.checks)('$name', async (check, { skip }) => {
      const { outcome, reason } = await runCheck(subject, check)
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
