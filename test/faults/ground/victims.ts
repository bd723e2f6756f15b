import { setTimeout as pause } from 'node:timers/promises'
import type { Strike } from '../cells.ts'
import { connectAgain } from '../integrations/again.ts'
import { replaceKeys } from '../integrations/rotate.ts'
import { connectSecond } from '../integrations/second.ts'
import { answerTwins } from '../integrations/twins.ts'
import { killAtOnce } from './prepare.ts'
import type { StrikeAct } from './strike-act.ts'

/** What is done to the victim, and how the service gets it back. Each ends with everything running and let go. */
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
    // As a rolling update does: the next one is there before the last has drained.
    const next = ground.startWorker()
    await release()
    await child.exited
    await next
  },
  /** Its requests stay in the PSP's hands and its transactions open while another worker takes over. */
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
  /** Everything that it knew is gone: schedules, runs, timers. Work is made again from the rows. */
  async 'temporal:wipe'(ground, { release, chance }) {
    await killAtOnce(ground.temporal.pid)
    await aroundRestart(chance, release, () => ground.startTemporal({ wiped: true }))
  },
  async 'postgres:kill'(ground, { release, chance }) {
    await killAtOnce(ground.postgres.pid)
    await aroundRestart(chance, release, () => ground.startPostgres())
  },
}

/** Work goes on before the server is back, or after. */
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
