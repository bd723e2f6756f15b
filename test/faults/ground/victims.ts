import { setTimeout as pause } from 'node:timers/promises'
import type { Strike } from '../cells.ts'
import { connectAgain } from '../integrations/again.ts'
import { replaceKeys } from '../integrations/rotate.ts'
import { connectSecond } from '../integrations/second.ts'
import { answerTwins } from '../integrations/twins.ts'
import { killAtOnce } from './prepare.ts'
import type { StrikeAct } from './strike-act.ts'

/** Injects each fault and recovers from it. Each ends with everything running and released. */
export const ACTS: Record<Strike, StrikeAct> = {
  'integration:rotate': replaceKeys,
  'integration:second': connectSecond,
  'integration:again': connectAgain,
  'integration:twins': answerTwins,
  async 'api:kill'(ground, { release, chance }) {
    await killAtOnce(ground.api.child.pid)
    await pause(chance() * 300)
    await release()
    await ground.startApi()
  },
  async 'api:term'(ground, { release, chance }) {
    const { child } = ground.api
    child.kill('SIGTERM')
    await pause(chance() * 500)
    await release()
    await child.exited
    await ground.startApi()
  },
  async 'worker:kill'(ground, { release, chance }) {
    await killAtOnce(ground.worker.child.pid)
    await pause(chance() * 300)
    await release()
    await ground.startWorker()
  },
  async 'worker:term'(ground, { release, chance }) {
    const { child } = ground.worker
    child.kill('SIGTERM')
    await pause(chance() * 1_000)
    // As in a rolling update: the new worker starts before the old one has drained.
    const next = ground.startWorker()
    await release()
    await child.exited
    await next
  },
  /** Its requests stay in flight and its transactions open while another worker takes over. */
  async 'worker:freeze'(ground, { release, takenOver }) {
    const zombie = ground.worker.child
    zombie.kill('SIGSTOP')
    await ground.startWorker()
    await takenOver()
    zombie.kill('SIGCONT')
    await release()
    await pause(500)
    await zombie.stop()
  },
  async 'temporal:kill'(ground, { release, chance }) {
    await killAtOnce(ground.temporal.pid)
    await aroundRestart(chance, release, () => ground.startTemporal())
  },
  /** Schedules, runs and timers are lost. Work is restored from the rows. */
  async 'temporal:wipe'(ground, { release, chance }) {
    await killAtOnce(ground.temporal.pid)
    await aroundRestart(chance, release, () => ground.startTemporal({ wiped: true }))
  },
  async 'postgres:kill'(ground, { release, chance }) {
    await killAtOnce(ground.postgres.pid)
    await aroundRestart(chance, release, () => ground.startPostgres())
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
