import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../../local/processes.ts'
import type { Ground } from '../ground/prepare.ts'

/** Restarts processes that died, as a service manager does. */
export interface Supervisor extends AsyncDisposable {
  /** Who died so far. */
  died(): ReadonlySet<string>
  /** From now on restarts Postgres, too. */
  allowPostgres(): void
}

export function supervise(ground: Ground): Supervisor {
  const died = new Set<string>()
  let stopped = false
  let postgresAllowed = false
  const restartDead = async () => {
    if (!isAlive(ground.postgres.pid)) {
      died.add('postgres')
      if (postgresAllowed) await ground.startPostgres()
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
    for (; !stopped; await pause(100)) await restartDead().catch(() => undefined)
  })()
  return {
    died: () => died,
    allowPostgres() {
      postgresAllowed = true
    },
    async [Symbol.asyncDispose]() {
      stopped = true
      await watching
    },
  }
}
