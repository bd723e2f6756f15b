import { setTimeout as pause } from 'node:timers/promises'
import type { FaultName } from '../cells.ts'
import { connectAgain } from '../integrations/again.ts'
import { contestDuplicates } from '../integrations/duplicates.ts'
import { replaceKeys } from '../integrations/rotate.ts'
import { connectSecond } from '../integrations/second.ts'
import type { FaultAction } from './fault-action.ts'
import { killAtOnce } from './prepare.ts'

/** Injects each fault and recovers from it. Each ends with everything running and released. */
export const FAULT_ACTIONS: Record<FaultName, FaultAction> = {
  'integration:rotate': replaceKeys,
  'integration:second': connectSecond,
  'integration:again': connectAgain,
  'integration:twins': contestDuplicates,
  async 'api:kill'(testbed, { release, chance }) {
    await killAtOnce(testbed.api.child.pid)
    await pause(chance() * 300)
    await release()
    await testbed.startApi()
  },
  async 'api:term'(testbed, { release, chance }) {
    const { child } = testbed.api
    child.kill('SIGTERM')
    await pause(chance() * 500)
    await release()
    await child.exited
    await testbed.startApi()
  },
  async 'worker:kill'(testbed, { release, chance }) {
    await killAtOnce(testbed.worker.child.pid)
    await pause(chance() * 300)
    await release()
    await testbed.startWorker()
  },
  async 'worker:term'(testbed, { release, chance }) {
    const { child } = testbed.worker
    child.kill('SIGTERM')
    await pause(chance() * 1_000)
    // As in a rolling update: the new worker starts before the old one has drained.
    const next = testbed.startWorker()
    await release()
    await child.exited
    await next
  },
  /** Its requests stay in flight and its transactions open while another worker takes over. */
  async 'worker:freeze'(testbed, { release, takenOver }) {
    const zombie = testbed.worker.child
    zombie.kill('SIGSTOP')
    await testbed.startWorker()
    await takenOver()
    zombie.kill('SIGCONT')
    await release()
    await pause(500)
    await zombie.stop()
  },
  async 'temporal:kill'(testbed, { release, chance }) {
    await killAtOnce(testbed.temporal.pid)
    await aroundRestart(chance, release, () => testbed.startTemporal())
  },
  /** Schedules, runs and timers are lost. Work is restored from the rows. */
  async 'temporal:wipe'(testbed, { release, chance }) {
    await killAtOnce(testbed.temporal.pid)
    await aroundRestart(chance, release, () => testbed.startTemporal({ wiped: true }))
  },
  async 'postgres:kill'(testbed, { release, chance }) {
    await killAtOnce(testbed.postgres.pid)
    await aroundRestart(chance, release, () => testbed.startPostgres())
  },
}

/** Releases work before or after the server is back. */
async function aroundRestart(
  chance: () => number,
  release: () => Promise<void>,
  restart: () => Promise<void>,
): Promise<void> {
  const early = chance() < 0.5
  if (early) await release()
  await pause(chance() * 800)
  await restart()
  if (!early) await release()
}
