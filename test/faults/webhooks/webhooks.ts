import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { WEBHOOK_CHANNEL } from '../../../db/webhooks/fan-out.ts'
import { until } from '../../harness/until.ts'
import { random } from '../../integration/events/writers.ts'
import { left } from '../batches.ts'
import type { FaultName } from '../cells.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { FAULT_ACTIONS } from '../testbed/victims.ts'
import { type Ground, prepareWebhooks } from './ground.ts'
import { settle, violations } from './invariants.ts'
import { writeChanges } from './writers.ts'

const TRANSACTIONS = 60
const REACHED_MS = 60_000
const TITLE =
  'every event of every matching endpoint is accepted at least once, none of another merchant; the log equals the timeline'

const MOMENTS = ['deliveries are committed', 'requests are in flight', 'a 2xx is not recorded'] as const
type Moment = (typeof MOMENTS)[number]

interface WebhookCell {
  moment: Moment
  fault: FaultName
  /** All events so far are sent again meanwhile. */
  replay?: boolean
  reduced?: boolean
}

const CELLS: readonly WebhookCell[] = [
  ...MOMENTS.map((moment) => ({ moment, fault: 'worker:kill' as const, reduced: true })),
  ...MOMENTS.map((moment) => ({ moment, fault: 'worker:term' as const })),
  ...MOMENTS.map((moment) => ({ moment, fault: 'postgres:kill' as const, reduced: moment === MOMENTS[1] })),
  { moment: 'requests are in flight', fault: 'worker:freeze' },
  { moment: 'requests are in flight', fault: 'temporal:kill' },
  { moment: 'requests are in flight', fault: 'worker:kill', replay: true, reduced: true },
  { moment: 'a 2xx is not recorded', fault: 'postgres:kill', replay: true },
]

/** Faults while webhooks are sent. `--seeds N` repeats each cell with other random numbers. */
export async function faultWebhooks(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const { print, reduced = false, seeds = 1 } = options
  await using ground = await prepareWebhooks()
  const outcomes: SuiteOutcome[] = []
  for (let seed = 1; seed <= seeds; seed++)
    for (const cell of CELLS.filter((one) => !reduced || one.reduced)) {
      const column = `${cell.fault}${cell.replay ? ', replay' : ''}`
      const name = `${column}, ${cell.moment}, seed ${seed}`
      if (options.cell && options.cell !== name) continue
      const began = Date.now()
      const why = await strike(ground, cell, random(seed)).catch((error: Error) => [error.message])
      print?.(`  ${name}: ${why.join('; ') || 'passed'}, ${((Date.now() - began) / 1000).toFixed(1)} s`)
      outcomes.push({
        ...{ name, title: TITLE, result: why.length > 0 ? 'failed' : 'passed', why },
        ...(seed === 1 && { place: { row: cell.moment, column } }),
      })
    }
  if (options.cell) return outcomes
  return [...outcomes, ...(await left(ground.testbed, print))]
}

/** @returns violations */
async function strike(ground: Ground, { moment, fault, replay }: WebhookCell, chance: () => number): Promise<string[]> {
  const { testbed, chargebacks, victim } = ground
  const { stack } = testbed
  await using waiting = await arm(ground, moment)
  const writing = writeChanges(stack.db, chargebacks, { transactions: TRANSACTIONS, chance })
  await Promise.race([waiting.reached, neverReached(moment)])
  if (replay) {
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const headers = { 'reference-account-id': stack.referenceId }
    const asked = await stack.call('POST', `/webhook-endpoints/${victim.endpointId}/replay`, { since }, headers)
    if (asked.status !== 202) return [`the replay was answered with ${asked.status}`]
  }
  const leases = await leasesOf(ground)
  const diedAt = new Date()
  await FAULT_ACTIONS[fault](testbed, {
    ...{ about: [], disputes: [], free: [], chance },
    release: async () => waiting.release(),
    // A lease lasts a minute.
    takenOver: async () =>
      void (await until('another worker has the endpoint', async () => (await leasesOf(ground)) > leases, {
        timeoutMs: 120_000,
      })),
  })
  waiting.release()
  await writing
  // A process that was frozen or asked to end gives its leases back.
  await settle(ground, fault.endsWith(':kill') && !fault.startsWith('temporal') ? diedAt : null)
  return violations(ground)
}

/** Number of the leases that the victim's endpoint has had. */
async function leasesOf({ testbed, victim }: Ground): Promise<bigint> {
  const { lease } = await testbed.stack.db
    .selectFrom('webhook_endpoint')
    .select('lease')
    .where('endpoint_id', '=', victim.endpointId)
    .executeTakeFirstOrThrow()
  return lease
}

/** Without polling: a moment passes within milliseconds. */
async function neverReached(moment: Moment): Promise<never> {
  await pause(REACHED_MS, undefined, { ref: false })
  throw new Error(`the moment at which ${moment} never came`)
}

/** Resolves `reached` at the moment. */
async function arm({ testbed, script }: Ground, moment: Moment) {
  let release = () => {}
  let resolve = () => {}
  const reached = new Promise<void>((done) => {
    resolve = done
  })
  const listener = new pg.Client(testbed.stack.databaseUrl)
  listener.on('error', () => undefined)
  await listener.connect()
  if (moment === 'deliveries are committed') {
    listener.on('notification', () => resolve())
    await listener.query(`listen ${WEBHOOK_CHANNEL}`)
  } else if (moment === 'a 2xx is not recorded') script.answered = () => resolve()
  else
    script.hold = (reply) => {
      release = reply
      resolve()
    }
  return {
    reached,
    release: () => release(),
    async [Symbol.asyncDispose]() {
      script.hold = undefined
      script.answered = undefined
      await listener.end().catch(() => undefined)
    },
  }
}
