import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '../../../local/processes.ts'
import type { Testbed } from '../testbed/prepare.ts'

/** Restarts processes that died, as a service manager does. */
export interface Supervisor extends AsyncDisposable {
  /** Who died so far. */
  died(): ReadonlySet<string>
  /** From now on restarts Postgres, too. */
  allowPostgres(): void
}

export function supervise(testbed: Testbed): Supervisor {
  const died = new Set<string>()
  let stopped = false
  let postgresAllowed = false
  const restartDead = async () => {
    if (!isAlive(testbed.postgres.pid)) {
      died.add('postgres')
      if (postgresAllowed) await testbed.startPostgres()
    }
    if (!isAlive(testbed.api.child.pid)) {
      died.add('api')
      await testbed.startApi()
    }
    if (!isAlive(testbed.worker.child.pid)) {
      died.add('worker')
      await testbed.startWorker()
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
