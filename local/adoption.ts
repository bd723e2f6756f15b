import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from './processes.ts'

/** A process that only responds late, on a busy machine, must not be replaced. */
const ADOPTION_MS = 15_000

/** Whether a process from an earlier start responds within 15 s; false at once if it ends. */
export async function isReady(pid: number, responds: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + ADOPTION_MS; ; await pause(100)) {
    if (await responds()) return true
    if (Date.now() > end || !isAlive(pid)) return false
  }
}
