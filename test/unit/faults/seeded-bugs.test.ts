import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'
import { seededBugs } from '../../faults/seeded-bugs.ts'

/** `npm run torture -- seeded-bugs` shows that the suites find them; this shows that each patch still applies. */
test.each(seededBugs())('the patch of the seeded bug $name still applies', ({ file }) => {
  const { stderr } = spawnSync('git', ['apply', '--check', file], { cwd: projectFolder, encoding: 'utf8' })
  expect(stderr).toBe('')
})
