import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { FaultPoint } from '../../harness/fault-points/points.ts'
import { setScope } from '../../harness/statements.ts'
import { until } from '../../harness/until.ts'
import type { RequestName, Step } from '../steps.ts'
import type { Dispute, Ground, Victim } from './prepare.ts'
import { requestOf } from './psps.ts'

/** One command stopped at one step. */
export interface Held {
  /** Whether it has come to where it is to be struck. */
  reached(): Promise<boolean>
  release(): Promise<void>
}

/** Prepares the stop; the command may be asked for after this. */
export async function holdAt(ground: Ground, step: Step, dispute: Dispute): Promise<Held> {
  const { hold } = step
  if (hold.at === 'point')
    return atPoint(hold.by === 'api' ? ground.api : ground.worker, hold.point, dispute.chargebackId)
  if (hold.at === 'wire') return onWire(ground, dispute, hold.request, hold.outcome)
  return behindLock(ground, dispute)
}

function atPoint(victim: Victim, point: FaultPoint, about: string): Held {
  const file = join(victim.holds, `${point}@${about}`)
  // Whoever came there earlier counts no more.
  rmSync(`${file}.reached`, { force: true })
  writeFileSync(file, '')
  return {
    reached: async () => existsSync(`${file}.reached`),
    release: async () => rmSync(file, { force: true }),
  }
}

/** What comes there about that one, in that process. */
export const holdAbout = atPoint

/** Everything of that process that comes to the fault point, whatever it is about. */
export const holdAll = (victim: Victim, point: FaultPoint) => atPoint(victim, point, '*')

function onWire(ground: Ground, dispute: Dispute, request: RequestName, outcome: 'applied' | 'lost'): Held {
  const engine = ground.engines[dispute.adapter]
  const match = requestOf(dispute.adapter, request, dispute.reference)
  if (!match) throw new Error(`${dispute.adapter} has no request to ${request}`)
  const hold = engine.holds.arm(match, outcome === 'applied' ? 'apply' : 'drop', 1)
  // Whoever survives the strike hears no answer either.
  if (outcome === 'applied')
    engine.faults.arm({ kind: 'reset_after_apply', left: 1, match, retryAfter: undefined, delayMs: 0 })
  return {
    reached: async () => hold.held.length > 0,
    release: async () => void engine.holds.release(hold.id),
  }
}

/** Another transaction has the chargeback's row; the request's own waits for it before it commits anything. */
async function behindLock(ground: Ground, dispute: Dispute): Promise<Held> {
  const client = new pg.Client(ground.stack.databaseUrl)
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

/** Waits until all are where they are to be struck. @returns those that never came */
export async function allReached<T extends { held: Held }>(some: readonly T[], timeoutMs = 60_000): Promise<Set<T>> {
  const missing = new Set(some)
  await until(
    'every command is where it is to be struck',
    async () => {
      for (const one of missing) if (await one.held.reached()) missing.delete(one)
      return missing.size === 0
    },
    { timeoutMs },
  ).catch(() => undefined)
  return missing
}
