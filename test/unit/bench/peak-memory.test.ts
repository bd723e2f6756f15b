import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'

test('the peak of memory of a benchmark’s process is its own, not that of the process that started it', () => {
  const ballast = Buffer.alloc(400_000_000, 1)
  const code = `import { peakRssMb } from './bench/runner/clocks.ts'; console.log(peakRssMb())`
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    cwd: projectFolder,
    encoding: 'utf8',
  })
  expect(ballast[ballast.length - 1]).toBe(1)
  expect(Number(stdout), stderr).toBeGreaterThan(10)
  expect(Number(stdout)).toBeLessThan(process.memoryUsage().rss / 2 ** 20 / 2)
})
