import { always, type Command, command, withRun } from './command.ts'
import type { Life } from './life.ts'
import type { FaultName } from './worker.ts'

/** Actions of workers, operators and Temporal. */

/** Attempts that one command may take. */
const MAX_ATTEMPTS = 40
/** Pauses between two attempts are waited for up to this one. */
const LONGEST_PAUSE_MS = 10 * 60_000

/** Works on due runs until none is due or the fault has hit; waits for the first one. */
async function workThrough({ world }: Life, strike: FaultName | null): Promise<string> {
  const { worker, clock } = world
  const done: string[] = []
  for (let left = MAX_ATTEMPTS; left > 0; left--) {
    const run = worker.next()
    const wait = run ? run.notBefore - clock.now() : Number.POSITIVE_INFINITY
    if (!run || wait > (done.length > 0 ? 0 : LONGEST_PAUSE_MS)) break
    await clock.pass(wait)
    done.push(await worker.work(run, strike))
    if (strike && strike.nth <= 0) break
  }
  return done.join(', ') || 'nothing is due'
}

export const working = (): Command => command('work', withRun, (life) => workThrough(life, null))

export const struck = (strike: FaultName): Command =>
  command(`work, ${strike.how} at fault point ${strike.nth}`, withRun, (life) => workThrough(life, { ...strike }))

export const thawing = (): Command =>
  command(
    'thaw',
    ({ frozen }) => frozen > 0,
    ({ world }) => world.worker.thaw(),
  )

export const polling = (strike: FaultName | null): Command =>
  command(strike ? `poll, ${strike.how} at fault point ${strike.nth}` : 'poll', always, (life) =>
    life.poll(strike && { ...strike }),
  )

const STEPS = ['drainOutbox', 'settleCommands', 'sweepDeadlines', 'reconcileScopeRuns'] as const

export const reconciling = (): Command =>
  command('reconcile', always, async (life) => {
    const done: string[] = []
    for (const activity of STEPS) done.push(await life.attempt(activity))
    return done.join(' ')
  })

export const terminating = (which: number): Command =>
  command(`terminate run ${which}`, withRun, async ({ world }) => {
    const running = world.temporal.runs().filter(({ status }) => status === 'RUNNING')
    const run = running[which % running.length]
    if (run) Object.assign(run, { status: 'TERMINATED', step: null })
    return run?.kind ?? 'none'
  })

export const wiping = (): Command =>
  command('temporal wiped', withRun, async ({ world }) => {
    world.temporal.wipe()
    return 'done'
  })

export const leaving = (): Command =>
  command(
    'temporal unavailable',
    ({ away, disputes }) => !away && disputes > 0,
    async ({ world }) => {
      world.temporal.away = true
      return 'done'
    },
  )

export const returning = (): Command =>
  command(
    'temporal back',
    ({ away }) => away,
    async ({ world }) => {
      world.temporal.away = false
      return 'done'
    },
  )
