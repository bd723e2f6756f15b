import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { bodyOf, type Step } from './workflow-bodies.ts'

/** A workflow run as the server stores it, with the activity that it waits for. */
export interface Run {
  workflowId: string
  /** `accept`, `submit`, `scope`. */
  kind: string
  commandId: string | undefined
  status: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'TERMINATED'
  body: Generator<Step, void, unknown>
  step: Step | null
  /** Attempts of that step. */
  attempts: number
  /** Number of the latest attempt, over all runs. */
  attempt: number
  /** No attempt before this, ms. */
  notBefore: number
  /** The server ignores a result after this time, ms. */
  attemptEnds: number
  /** Scope evaluations that are due: integration → how often it was requested. */
  due: Map<string, number>
}

export interface Temporal {
  client: Client
  runs(): readonly Run[]
  /** Continues with the result of the last step. */
  proceed(run: Run, with_: { result: unknown } | { error: unknown }): void
  /** Unavailable: nothing can be started or queried, and runs make no progress. */
  away: boolean
  /** A schedule was triggered: a poll is due. */
  pollAsked: boolean
  wipe(): void
}

/**
 * The part of a Temporal server that the product sees through its client: runs by id, and rules for starting them
 * again.
 */
export function createTemporal(): Temporal {
  let runs: Run[] = []
  const known = (workflowId: string) => runs.findLast((run) => run.workflowId === workflowId)

  const temporal: Temporal = {
    client: undefined as unknown as Client,
    runs: () => runs,
    away: false,
    pollAsked: false,
    wipe() {
      runs = []
    },
    proceed(run, with_) {
      try {
        const next = 'result' in with_ ? run.body.next(with_.result) : run.body.throw(with_.error)
        Object.assign(run, { step: next.done ? null : next.value, attempts: 0, attempt: 0, notBefore: 0 })
        if (next.done) run.status = 'COMPLETED'
      } catch {
        Object.assign(run, { step: null, status: 'FAILED' })
      }
    },
  }

  const reachable = () => {
    if (temporal.away) throw new Error('14 UNAVAILABLE: no connection')
  }

  function start(workflow: string, options: { workflowId: string; args: unknown[]; memo?: { commandId?: string } }) {
    const run: Run = {
      workflowId: options.workflowId,
      kind: workflow,
      commandId: options.memo?.commandId,
      status: 'RUNNING',
      body: undefined as unknown as Run['body'],
      step: null,
      attempts: 0,
      attempt: 0,
      notBefore: 0,
      attemptEnds: 0,
      due: new Map(),
    }
    run.body = bodyOf(workflow, options.args[0] as never, run.due)
    runs.push(run)
    temporal.proceed(run, { result: undefined })
    return run
  }

  function getHandle(workflowId: string) {
    const find = () => {
      reachable()
      const run = known(workflowId)
      if (!run) throw new WorkflowNotFoundError('not found', workflowId, undefined)
      return run
    }
    return {
      describe: async () => {
        const run = find()
        return { status: { name: run.status }, memo: { commandId: run.commandId } }
      },
      signal: async () => {
        if (find().status !== 'RUNNING') throw new WorkflowNotFoundError('ended', workflowId, undefined)
      },
    }
  }

  temporal.client = {
    connection: { withDeadline: (_: number, work: () => Promise<unknown>) => work() },
    workflow: {
      getHandle,
      async start(workflow: string, options: Parameters<typeof start>[1] & { workflowIdReusePolicy: string }) {
        reachable()
        const before = known(options.workflowId)
        const refused =
          options.workflowIdReusePolicy === WorkflowIdReusePolicy.REJECT_DUPLICATE || before?.status === 'COMPLETED'
        if (before && before.status !== 'RUNNING' && refused)
          throw new WorkflowExecutionAlreadyStartedError('started', options.workflowId, workflow)
        if (before?.status !== 'RUNNING') start(workflow, options)
        return getHandle(options.workflowId)
      },
      async signalWithStart(workflow: string, options: Parameters<typeof start>[1] & { signalArgs: [Asked] }) {
        reachable()
        const [{ integrationId, asked }] = options.signalArgs
        const running = known(options.workflowId)
        const run = running?.status === 'RUNNING' ? running : start(workflow, options)
        if (asked > (run.due.get(integrationId) ?? 0)) run.due.set(integrationId, asked)
      },
    },
    schedule: {
      getHandle: () => ({
        describe: async () => {
          reachable()
          return { info: { createdAt: new Date(0), recentActions: [] } }
        },
        trigger: async () => {
          temporal.pollAsked = true
        },
      }),
    },
  } as unknown as Client
  return temporal
}

interface Asked {
  integrationId: string
  asked: number
}
