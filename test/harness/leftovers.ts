import { readdirSync, readFileSync } from 'node:fs'
import { stopProcess } from '../../local/processes.ts'

/**
 * Ends what the tests of this run left running, told by the variable RECOUP_TEST_RUN that each of them inherited.
 * Linux only: elsewhere process groups have to do.
 * @returns command lines of what was still there
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
      // tsx keeps a compiler beside this very process; both end together.
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
