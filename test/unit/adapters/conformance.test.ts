import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { SUITES } from '../../../adapters/conformance/suites.ts'
import { projectFolder } from '../../../local/run-script.ts'
import { capabilitiesDocument } from '../../../scripts/capabilities.ts'
import { testAdapter } from './conformance-suite.ts'

const proofs = SUBJECTS.map((subject) => ({ definition: subject.definition, results: testAdapter(subject) }))

test('docs/capabilities.md matches the results of the kit', ({ skip }) => {
  const checks = SUITES.flatMap((suite) => suite.checks).length
  if (!proofs.every(({ results }) => results.length === checks)) skip('only a part of the kit was run')
  const text = readFileSync(join(projectFolder, 'docs', 'capabilities.md'), 'utf8')
  expect(text, 'run npm run generate').toBe(capabilitiesDocument(proofs))
})
