import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../../adapters/conformance/run.ts'
import { sandboxSubject } from '../../../../adapters/conformance/subject-sandbox.ts'
import { SUITES } from '../../../../adapters/conformance/suites.ts'

describe.each(SUITES)('the sandbox against its simulator: $name', (suite) => {
  test.for(suite.checks)('$name', async (check, { skip }) => {
    const { outcome, reason } = await runCheck(sandboxSubject, check)
    if (outcome === 'skipped') skip(reason ?? 'without a reason')
    expect({ outcome, reason }).toEqual({ outcome: 'passed', reason: null })
  })
})
