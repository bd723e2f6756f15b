import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'
import { seededBugs } from '../../faults/seeded-bugs.ts'

/** `npm run torture -- seeded-bugs` shows that they are found; whoever changes those lines learns of it here. */
test.each(seededBugs())('the seeded bug $name still fits the tree', ({ file }) => {
  const { stderr } = spawnSync('git', ['apply', '--check', file], { cwd: projectFolder, encoding: 'utf8' })
  expect(stderr).toBe('')
})
