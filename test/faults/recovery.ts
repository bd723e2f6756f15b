import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../harness/until.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'
import { requestUntilDefinite } from './testbed/clients.ts'
import { type Dispute, killAtOnce, startTestbed, type Testbed } from './testbed/prepare.ts'
import { requestOf } from './testbed/psps.ts'

/** Kills for each measurement. */
const TIMES = 5
/** Start-to-close timeout of an attempt in this environment, ms; 60 s in production. */
const ATTEMPT_MS = 8_000

interface Figure {
  name: string
  title: string
  /** ms */
  bound: number
  measured: number[]
}

/** Recovery times after a kill, as median and maximum. */
export async function recover({ print, seeds = 1 }: SuiteOptions): Promise<SuiteOutcome[]> {
  const times = TIMES * seeds
  await using testbed = await startTestbed({ disputes: { stripe: times * 3 } })
  const figures: Figure[] = []
  const figure = (name: string, title: string, bound: number) => {
    const made: Figure = { name, title, bound, measured: [] }
    figures.push(made)
    return (ms: number) => void made.measured.push(Math.round(ms))
  }
  const refused = figure('postgres_answer', 'Postgres killed → a read returns 503', 1_000)
  const readable = figure('postgres_back', 'Postgres is up again → a read returns 200', 5_000)
  const asked = figure('temporal_post', 'Temporal killed → an acceptance request returns 200', 3_000)
  const ran = figure('temporal_back', 'Temporal is up again → that acceptance has succeeded', 30_000)
  const finished = figure(
    'worker_takeover',
    'worker killed with a command in flight → another worker has completed it (start-to-close, 2 s until the second read, 1 s)',
    ATTEMPT_MS + 3_000,
  )
  for (let n = 0; n < times; n++) {
    await withoutPostgres(testbed, refused, readable)
    await withoutTemporal(testbed, testbed.take('stripe'), asked, ran)
    await withoutWorker(testbed, testbed.take('stripe'), finished)
  }
  return figures.map(({ name, title, bound, measured }) => {
    const sorted = measured.toSorted((a, b) => a - b)
    const worst = sorted.at(-1) ?? 0
    const text = `median ${sorted[Math.floor(sorted.length / 2)]} ms, maximum ${worst} ms of ${measured.length}, bound ${bound} ms`
    print?.(`  ${name}: ${text}`)
    return { name, title, result: worst > bound ? 'failed' : 'passed', why: [text] }
  })
}

async function withoutPostgres(testbed: Testbed, refused: (ms: number) => void, readable: (ms: number) => void) {
  const read = () => testbed.stack.call('GET', '/chargebacks').then(({ status }) => status)
  await killAtOnce(testbed.postgres.pid)
  const asked = performance.now()
  const status = await read()
  if (status === 503) refused(performance.now() - asked)
  else refused(Number.POSITIVE_INFINITY)
  await testbed.startPostgres()
  const back = performance.now()
  await until('reads succeed', read, { holds: (answer) => answer === 200 })
  readable(performance.now() - back)
}

async function withoutTemporal(
  testbed: Testbed,
  dispute: Dispute,
  asked: (ms: number) => void,
  ran: (ms: number) => void,
) {
  await killAtOnce(testbed.temporal.pid)
  const began = performance.now()
  const { status } = await testbed.stack.call('POST', `/chargebacks/${dispute.chargebackId}/accept`)
  asked(status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY)
  await pause(1_000)
  await testbed.startTemporal()
  const back = performance.now()
  await succeeded(testbed, dispute)
  ran(performance.now() - back)
}

async function withoutWorker(testbed: Testbed, dispute: Dispute, finished: (ms: number) => void) {
  const match = requestOf(dispute.adapter, 'accept', dispute.reference) ?? {}
  const hold = testbed.engines[dispute.adapter].holds.arm(match, 'apply', 1)
  requestUntilDefinite(testbed, dispute, { kind: 'accept' })
  await until('the PSP has the request in hand', () => hold.held.length > 0)
  const victim = testbed.worker.child
  await testbed.startWorker()
  const killed = performance.now()
  await killAtOnce(victim.pid)
  testbed.engines[dispute.adapter].holds.release(hold.id)
  await succeeded(testbed, dispute)
  finished(performance.now() - killed)
}

async function succeeded(testbed: Testbed, { chargebackId }: Dispute): Promise<void> {
  const read = async () => (await testbed.stack.call('GET', `/chargebacks/${chargebackId}/accept`)).body.status
  await until('the acceptance has succeeded', read, { holds: (status) => status === 'succeeded', timeoutMs: 120_000 })
}
