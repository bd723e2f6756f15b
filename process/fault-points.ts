import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A named moment between two steps, about one chargeback. Everybody passes; the fault harness stops work there. */
export type Reached = (moment: string, about?: string) => Promise<void>

const POLL_EVERY_MS = 15

/**
 * What a process does at its moments, from its configuration: nothing, unless a fault test says otherwise. `crashAt`
 * ends the process at that moment. In the folder `holdAt` a file `moment@about` (or `moment@*`) holds what comes there
 * until the file is gone; who arrived is told by a line in `moment@about.reached`.
 */
export function createMoments(faults: { crashAt?: string | undefined; holdAt?: string | undefined }): Reached {
  const { crashAt, holdAt } = faults
  if (!crashAt && !holdAt) return async () => undefined
  return async (moment, about = '') => {
    if (moment === crashAt) process.kill(process.pid, 'SIGKILL')
    if (!holdAt) return
    const armed = [`${moment}@${about}`, `${moment}@*`].map((name) => join(holdAt, name)).find(existsSync)
    if (!armed) return
    appendFileSync(`${armed}.reached`, `${about}\n`)
    while (existsSync(armed)) await pause(POLL_EVERY_MS)
  }
}
