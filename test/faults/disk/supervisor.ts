import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../../local/processes.ts'
import type { Ground } from '../ground/prepare.ts'

/** Starts again what has died, as whatever supervises a service does. */
export interface Supervisor extends AsyncDisposable {
  /** Who died so far. */
  died(): ReadonlySet<string>
  /** From now on Postgres, too, can be started. */
  allowPostgres(): void
}

export function supervise(ground: Ground): Supervisor {
  const died = new Set<string>()
  let stopped = false
  let enough = false
  const look = async () => {
    if (!isAlive(ground.postgres.pid)) {
      died.add('postgres')
      if (enough) await ground.startPostgres()
    }
    if (!isAlive(ground.api.child.pid)) {
      died.add('api')
      await ground.startApi()
    }
    if (!isAlive(ground.worker.child.pid)) {
      died.add('worker')
      await ground.startWorker()
    }
  }
  const watching = (async () => {
    for (; !stopped; await pause(100)) await look().catch(() => undefined)
  })()
  return {
    died: () => died,
    allowPostgres() {
      enough = true
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      await watching
    },
  }
}
