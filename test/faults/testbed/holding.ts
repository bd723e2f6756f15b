import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { FaultPoint } from '../../harness/fault-points/points.ts'
import { setScope } from '../../harness/statements.ts'
import { until } from '../../harness/until.ts'
import type { RequestName, Step } from '../steps.ts'
import type { Dispute, Testbed, Victim } from './prepare.ts'
import { requestOf } from './psps.ts'

/** One command held at one step. */
export interface Held {
  /** Whether it has reached its step. */
  reached(): Promise<boolean>
  release(): Promise<void>
}

/** Prepares the hold. The command may be requested afterwards. */
export async function holdAt(testbed: Testbed, step: Step, dispute: Dispute): Promise<Held> {
  const { hold } = step
  if (hold.at === 'point')
    return atPoint(hold.by === 'api' ? testbed.api : testbed.worker, hold.point, dispute.chargebackId)
  if (hold.at === 'wire') return onWire(testbed, dispute, hold.request, hold.outcome)
  return onLock(testbed, dispute)
}

function atPoint(victim: Victim, point: FaultPoint, about: string): Held {
  const file = join(victim.holds, `${point}@${about}`)
  // Earlier arrivals no longer count.
  rmSync(`${file}.reached`, { force: true })
  writeFileSync(file, '')
  return {
    reached: async () => existsSync(`${file}.reached`),
    release: async () => rmSync(file, { force: true }),
  }
}

/** Holds work about that id at the fault point, in that process. */
export const holdAbout = atPoint

/** Holds all work at the fault point, in that process. */
export const holdAll = (victim: Victim, point: FaultPoint) => atPoint(victim, point, '*')

function onWire(testbed: Testbed, dispute: Dispute, request: RequestName, outcome: 'applied' | 'lost'): Held {
  const engine = testbed.engines[dispute.adapter]
  const match = requestOf(dispute.adapter, request, dispute.reference)
  if (!match) throw new Error(`${dispute.adapter} has no request to ${request}`)
  const hold = engine.holds.arm(match, outcome === 'applied' ? 'apply' : 'drop', 1)
  // A process that survives the fault gets no response either.
  if (outcome === 'applied')
    engine.faults.arm({ kind: 'reset_after_apply', left: 1, match, retryAfter: undefined, delayMs: 0 })
  return {
    reached: async () => hold.held.length > 0,
    release: async () => void engine.holds.release(hold.id),
  }
}

/** Another transaction locks the chargeback's row; the request's transaction waits for it before it commits. */
async function onLock(testbed: Testbed, dispute: Dispute): Promise<Held> {
  const client = new pg.Client(testbed.stack.databaseUrl)
  client.on('error', () => undefined)
  await client.connect()
  await setScope(client, 'system')
  await client.query('begin')
  await client.query('select id from chargeback where id = $1 for update', [dispute.chargebackId])
  return {
    async reached() {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::int from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
      )
      return (rows[0]?.count ?? 0) > 0
    },
    release: () => client.end().catch(() => undefined),
  }
}

/** Waits until all have reached their steps. @returns those that have not */
export async function allReached<T extends { held: Held }>(some: readonly T[], timeoutMs = 60_000): Promise<Set<T>> {
  const missing = new Set(some)
  await until(
    'every command has reached its step',
    async () => {
      for (const one of missing) if (await one.held.reached()) missing.delete(one)
      return missing.size === 0
    },
    { timeoutMs },
  ).catch(() => undefined)
  return missing
}
