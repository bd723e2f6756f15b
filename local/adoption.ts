import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from './processes.ts'

/** On a busy machine a process responds late, and is not to be replaced for that. */
const ADOPTION_MS = 15_000

/** Whether a process that an earlier start left running responds within 15 s and before it ends. */
export async function isReady(pid: number, responds: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + ADOPTION_MS; ; await pause(100)) {
    if (await responds()) return true
    if (Date.now() > end || !isAlive(pid)) return false
  }
}
