import { MockActivityEnvironment } from '@temporalio/testing'
import { withRates } from '../../adapters/rates.ts'
import { adapterFor } from '../../adapters/registry.ts'
import { connect, type DatabaseOptions } from '../../db/core/connect.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import type { Source } from '../../domain/integration.ts'
import { fileProcesses } from '../../test/harness/file-processes.ts'
import { unlimited } from '../../test/harness/unlimited.ts'
import { createActivities } from '../../workflows/activities/index.ts'
import type { SliceResult } from '../../workflows/activities/polling/polling.ts'
import { connectLazily } from '../../workflows/starters/temporal.ts'
import { ownTime } from '../runner/clocks.ts'

/** Connections of a poll: two writes and the probe. */
const CONNECTIONS = 3

export interface PollRun {
  wallMs: number
  cpuMs: number
  /** Disputes that the PSP returned. */
  rows: number
  created: number
  changed: number
  quarantined: number
  /** Statements sent to the database, including transaction control, excluding the rate bucket. */
  statements: number
  /** Statements that took a token of the rate bucket. */
  tokens: number
  /** Times of the first and the last fifth of the pages, ms; null for less than ten pages. */
  fifths: { first: Fifth; last: Fifth } | null
  /** HTTP requests with a response of the PSP. */
  requests: number
}

export interface Fifth {
  wallMs: number
  cpuMs: number
}

export interface Poller {
  /** Runs a complete poll with the worker's activity. @throws when it ends early */
  poll(): Promise<PollRun>
  [Symbol.asyncDispose](): Promise<void>
}

export interface PollerOptions {
  databaseUrl: string
  ring: KeyRing
  source: Source
  pspUrl: string
  integrationId: string
  /** Rate at which Recoup calls the account; by default it is not limited. */
  requestsPerSecond?: number
  /** Scope of every statement; default 'system'. */
  scope?: DatabaseOptions['scope']
}

export function openPoller(options: PollerOptions): Poller {
  const { requestsPerSecond: rate } = options
  const counters = { statements: 0, tokens: 0, requests: 0 }
  const db = connect(options.databaseUrl, { scope: options.scope ?? 'system', max: CONNECTIONS })
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const text = String((args[0] as { text?: string }).text ?? args[0])
      counters[text.includes('rate_bucket') ? 'tokens' : 'statements']++
      return query(...args)
    }) as typeof client.query
  })
  const { ingestPages } = createActivities({
    db,
    ring: options.ring,
    files: fileProcesses,
    renderer: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor: rate === undefined ? unlimited : withRates(adapterFor, { [options.source]: rate }),
    environment: 'sandbox',
    baseUrls: { [options.source]: options.pspUrl },
    polling: { intervalSeconds: 300, pace: { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 } },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {
      counters.requests++
    },
  })

  /** Both clocks at each sign of progress. */
  const marks: Fifth[] = []
  const mark = () => {
    const { user, system } = process.cpuUsage()
    marks.push({ wallMs: performance.now(), cpuMs: (user + system) / 1000 })
  }

  async function toTheEnd() {
    const total = { rows: 0, created: 0, changed: 0, quarantined: 0 }
    for (let done = false; !done; ) {
      const environment = new MockActivityEnvironment()
      environment.on('heartbeat', mark)
      const slice = (await environment.run(ingestPages, { integrationId: options.integrationId })) as SliceResult
      if (slice.stopped) throw new Error(`the poll ended early: ${slice.stopped}`)
      total.rows += slice.seen
      for (const key of ['created', 'changed', 'quarantined'] as const) total[key] += slice[key]
      done = slice.done
    }
    return total
  }
  return {
    async poll() {
      Object.assign(counters, { statements: 0, tokens: 0, requests: 0 })
      marks.length = 0
      const { wallMs, cpuMs, result } = await ownTime(toTheEnd)
      return { wallMs, cpuMs, ...result, ...counters, fifths: fifthsOf(marks) }
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

function fifthsOf(marks: readonly Fifth[]): PollRun['fifths'] {
  const length = Math.floor((marks.length - 1) / 5)
  if (length < 2) return null
  const between = (from: number, until: number): Fifth => {
    const [start, end] = [marks[from] as Fifth, marks[until] as Fifth]
    return { wallMs: end.wallMs - start.wallMs, cpuMs: end.cpuMs - start.cpuMs }
  }
  return { first: between(0, length), last: between(marks.length - 1 - length, marks.length - 1) }
}
