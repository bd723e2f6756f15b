import { readdirSync, readFileSync } from 'node:fs'
import { stopProcess } from '../../local/processes.ts'

/**
 * Ends processes that the tests of this run left running. All of them inherited the variable RECOUP_TEST_RUN. Linux
 * only: on other systems only process groups are ended.
 * @returns command lines of those processes
 */
export async function endLeftovers(run: string): Promise<string[]> {
  if (process.platform !== 'linux' || run === '') return []
  const mark = `RECOUP_TEST_RUN=${run}`
  const found: string[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) continue
      // tsx has a compiler process next to this one; both end together.
      if (parentOf(pid) === process.pid) continue
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      await stopProcess(pid, 0)
      if (command !== '') found.push(command)
    } catch {
      // It ended meanwhile, or belongs to another user.
    }
  }
  return found
}

const parentOf = (pid: number) =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[1],
  )
