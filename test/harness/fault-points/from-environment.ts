import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AtFaultPoint } from './points.ts'

const LOOK_EVERY_MS = 15

/**
 * What a process does at its fault points. `CRASH_AT` names the one at which it kills itself. In the folder `HOLD_AT` a
 * file `point@about`, or `point@*`, holds what comes there until the file is gone; `point@about.reached` has a line for
 * each arrival.
 */
export function fromEnvironment({ CRASH_AT, HOLD_AT }: NodeJS.ProcessEnv): AtFaultPoint {
  return async (point, about) => {
    if (point === CRASH_AT) process.kill(process.pid, 'SIGKILL')
    if (!HOLD_AT) return
    const armed = [`${point}@${about}`, `${point}@*`].map((name) => join(HOLD_AT, name)).find(existsSync)
    if (!armed) return
    appendFileSync(`${armed}.reached`, `${about}\n`)
    while (existsSync(armed)) await pause(LOOK_EVERY_MS)
  }
}
