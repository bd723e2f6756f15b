import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AtFaultPoint } from './points.ts'

const CHECK_EVERY_MS = 15

/**
 * What a process does at its fault points. At `CRASH_AT` it kills itself. In the folder `HOLD_AT` a file `point@about`,
 * or `point@*`, holds work at that point until the file is deleted; `point@about.reached` has a line for each arrival.
 */
export function fromEnvironment({ CRASH_AT, HOLD_AT }: NodeJS.ProcessEnv): AtFaultPoint {
  return async (point, about) => {
    if (point === CRASH_AT) process.kill(process.pid, 'SIGKILL')
    if (!HOLD_AT) return
    const armed = [`${point}@${about}`, `${point}@*`].map((name) => join(HOLD_AT, name)).find(existsSync)
    if (!armed) return
    appendFileSync(`${armed}.reached`, `${about}\n`)
    while (existsSync(armed)) await pause(CHECK_EVERY_MS)
  }
}
