import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCheck } from '../../../adapters/conformance/run.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { SUITES } from '../../../adapters/conformance/suites.ts'
import { projectFolder } from '../../../local/run-script.ts'
import { capabilitiesDocument, type Proof } from '../../../scripts/capabilities.ts'

const found = new Map<string, Proof['results'][number][]>(SUBJECTS.map(({ definition }) => [definition.source, []]))

describe.each(SUBJECTS)('adapter $definition.displayName against its simulator', (subject) => {
  describe.each(SUITES)('$name', (suite) => {
    test.for(suite.checks)('$name', async (check, { skip }) => {
      const { outcome, reason } = await runCheck(subject, check)
      found.get(subject.definition.source)?.push({ suite: suite.name, check: check.name, outcome, reason })
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

describe('docs/capabilities.md', () => {
  test('matches the results of the kit', ({ skip }) => {
    const checks = SUITES.flatMap((suite) => suite.checks).length
    const whole = [...found.values()].every((results) => results.length === checks)
    if (!whole) skip('only a part of the kit was run')
    const proofs = SUBJECTS.map(({ definition }) => ({ definition, results: found.get(definition.source) ?? [] }))
    const text = readFileSync(join(projectFolder, 'docs', 'capabilities.md'), 'utf8')
    expect(text, 'run npm run generate').toBe(capabilitiesDocument(proofs))
  })
})
