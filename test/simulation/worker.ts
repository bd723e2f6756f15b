import { AsyncLocalStorage } from 'node:async_hooks'
import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { toFailure } from '../../workflows/activities/failures.ts'
import type { Activities } from '../../workflows/activities/index.ts'
import type { FaultPoint } from '../harness/fault-points/points.ts'
import type { VirtualClock } from './clock.ts'
import type { Run, Temporal } from './temporal.ts'
import { StepFailed } from './workflow-bodies.ts'

const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 10 * 60_000
const logger = new DefaultLogger('ERROR')
/** Fault points inside a transaction: a worker that dies there loses its connection, and with it the writes. */
const IN_TRANSACTION = /\.during_(record|page)$/

/** At the `nth` fault point that attempts reach from now on, their worker dies or freezes. */
export interface FaultName {
  how: 'dies' | 'freezes'
  nth: number
}

interface PspResponse {
  strike: FaultName | null
  /** The fault point that was hit. */
  point: FaultPoint | null
  stopped(): void
  released: Promise<void>
}

/** An attempt that is stopped at a fault point. */
interface Frozen {
  how: FaultName['how']
  /** Null if no run waits for it. */
  run: Run | null
  attempt: number
  resume(): void
  dieNow(error: Error): void
  work: Promise<Outcome>
}

type Outcome = { result: unknown } | { error: unknown }

class WorkerDied extends Error {
  override name = 'WorkerDied'
}

export type Worker = ReturnType<typeof createWorker>

/** Runs activities one attempt at a time, as the simulation says. A fault can hit at every fault point. */
export function createWorker(clock: VirtualClock, temporal: () => Temporal, activities: () => Activities) {
  const passing = new AsyncLocalStorage<PspResponse>()
  let stoppedAttempts: Frozen[] = []
  let attemptCount = 0

  async function atFaultPoint(point: FaultPoint): Promise<void> {
    const here = passing.getStore()
    if (!here?.strike || here.point || --here.strike.nth > 0) return
    here.point = point
    if (IN_TRANSACTION.test(point)) throw new WorkerDied()
    here.stopped()
    await here.released
  }

  const execute = (activity: keyof Activities, input: object | undefined, attemptMs: number, here: PspResponse) =>
    passing.run(here, () =>
      new MockActivityEnvironment(
        {
          startToCloseTimeoutMs: attemptMs,
          heartbeatTimeoutMs: 60_000,
          workflowExecution: { workflowId: activity, runId: `${activity}:${clock.now()}` },
        },
        { logger },
      ).run(activities()[activity] as (input?: object) => Promise<unknown>, input),
    )

  async function attempt(
    activity: keyof Activities,
    input: object | undefined,
    attemptMs: number,
    strike: FaultName | null,
  ): Promise<{ outcome: Outcome; struck: string | null; frozen: Omit<Frozen, 'run' | 'attempt' | 'how'> | null }> {
    let stopped = () => {}
    const stop = new Promise<undefined>((resolve) => {
      stopped = () => resolve(undefined)
    })
    const frozen = { resume: () => {}, dieNow: (_: Error) => {} }
    const released = new Promise<void>((resolve, reject) => Object.assign(frozen, { resume: resolve, dieNow: reject }))
    released.catch(() => undefined)
    const here: PspResponse = { strike, point: null, stopped, released }
    const work: Promise<Outcome> = execute(activity, input, attemptMs, here).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    const outcome = await Promise.race([work, stop])
    if (outcome) return { outcome, struck: here.point, frozen: null }
    return { outcome: { error: new WorkerDied() }, struck: here.point, frozen: { ...frozen, work } }
  }

  /** Applies the end of an attempt at the server. */
  function conclude(run: Run, outcome: Outcome): string {
    const { step } = run
    if (run.status !== 'RUNNING' || !step) return 'no run waits for it'
    if ('result' in outcome) {
      temporal().proceed(run, outcome)
      return 'done'
    }
    const failure = toFailure(outcome.error)
    const kind = failure instanceof ApplicationFailure ? (failure.type ?? '') : failure.name
    if (failure instanceof ApplicationFailure && failure.nonRetryable) {
      temporal().proceed(run, { error: new StepFailed({ kind, message: failure.message }) })
      return `refused: ${kind}`
    }
    const wait = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (run.attempts - 1))
    const asked = failure instanceof ApplicationFailure ? Number(failure.nextRetryDelay ?? 0) : 0
    run.notBefore = clock.now() + (asked || wait)
    return kind
  }

  const expire = (run: Run) => temporal().proceed(run, { error: new StepFailed(null) })
  const overdue = ({ step }: Run, at: number) => step?.until !== null && step?.until !== undefined && at >= step.until

  /** One attempt of the activity that a run waits for. @returns the outcome for the trace */
  async function work(run: Run, strike: FaultName | null = null): Promise<string> {
    const { step } = run
    if (!step) return 'nothing to do'
    if (overdue(run, Math.max(clock.now(), run.notBefore))) {
      expire(run)
      return `${step.activity}: out of time`
    }
    run.attempts++
    run.attemptEnds = clock.now() + step.attemptMs
    run.notBefore = run.attemptEnds
    const number = ++attemptCount
    run.attempt = number
    const { outcome, struck, frozen } = await attempt(step.activity, step.input, step.attemptMs, strike)
    if (frozen) stoppedAttempts.push({ ...frozen, how: strike?.how ?? 'dies', run, attempt: number })
    if (struck) return `${step.activity}: ${strike?.how} at ${struck}`
    return `${step.activity}: ${conclude(run, outcome)}`
  }

  return {
    atFaultPoint,
    work,
    /** The run with the earliest attempt, which may be in the future. */
    next: () =>
      temporal()
        .runs()
        .filter(({ status }) => status === 'RUNNING')
        .toSorted((a, b) => a.notBefore - b.notBefore)[0],
    frozen: () => stoppedAttempts.filter(({ how }) => how === 'freezes').length,

    /** An activity that no run of the simulation waits for: a poll, a step of the reconciler. */
    async alone(activity: keyof Activities, input?: object, strike: FaultName | null = null): Promise<unknown> {
      const { outcome, struck, frozen } = await attempt(activity, input, 60_000, strike)
      if (frozen) stoppedAttempts.push({ ...frozen, how: strike?.how ?? 'dies', run: null, attempt: 0 })
      if (struck) return `${strike?.how} at ${struck}`
      if ('error' in outcome) throw outcome.error
      return outcome.result
    },

    /** Resumes the first frozen attempt; the server may have started another attempt meanwhile. */
    async thaw(): Promise<string> {
      const index = stoppedAttempts.findIndex((one) => one.how === 'freezes')
      const [frozen] = index < 0 ? [] : stoppedAttempts.splice(index, 1)
      if (!frozen) return 'nothing is frozen'
      const { run, attempt: number, resume, work: rest } = frozen
      resume()
      const outcome = await rest
      if (!run) return `resumes: ${words(outcome)}`
      const current = run.attempt === number && clock.now() < run.attemptEnds
      return current ? `resumes, ${conclude(run, outcome)}` : `resumes, too late: ${words(outcome)}`
    },

    /** Ends all stopped attempts, at the end of a life. */
    async clear(): Promise<void> {
      const all = stoppedAttempts
      stoppedAttempts = []
      for (const one of all) one.dieNow(new WorkerDied())
      await Promise.all(all.map((one) => one.work))
    },
  }
}

function words(outcome: Outcome): string {
  if ('result' in outcome) return 'done'
  const failure = toFailure(outcome.error)
  return failure instanceof ApplicationFailure ? (failure.type ?? '') : failure.name
}
