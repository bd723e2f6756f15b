import { sql } from 'kysely'
import { addIntegrations } from './fleet/integrations.ts'
import { openOtherSide } from './psp/other-side.ts'
import { appRole } from './runner/app-role.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { percentile } from './runner/metric.ts'
import { openService, type Service, until } from './service/service.ts'
import { type Acceptable, accept, addSmallMerchants, applied, list, placeOf } from './service/small-merchants.ts'

/** Disputes of a small merchant; about a fifth of them can be accepted. */
const SMALL = { full: 100, quick: 30 }
const INTERVAL_SECONDS = 10
const STARTED_MS = 120_000

interface Phase {
  /** From request to effect at the PSP, ms. */
  p95: number
  /** Age of the last poll of a small merchant, seconds. */
  freshness: number
  /** Of a list of a small merchant's chargebacks, ms. */
  listP99: number
}

/** Lists after each acceptance: the 99th percentile needs hundreds. */
const LISTS = 5

export async function run(context: Context): Promise<void> {
  const disputes = context.size(100_000, 20_000)
  const acceptances = context.quick ? 15 : 60
  const small = SMALL[context.quick ? 'quick' : 'full']
  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  const pspUrl = await otherSide.bulk({ count: disputes, small })
  const env = { RECOUP_POLL_INTERVAL_SECONDS: String(INTERVAL_SECONDS) }
  await using service = await openService(otherSide, databases, { pspUrl, env })
  const merchants = await addSmallMerchants(service, small)
  context.fact({ disputes, acceptances, analyzed: false, postgres: await databases.describe() })

  const one = async (chargeback: Acceptable): Promise<number> => {
    const asked = Date.now()
    await accept(service, merchants, chargeback)
    const times = await applied(otherSide.closings, [chargeback])
    return (times.get(placeOf(chargeback)) ?? Number.NaN) - asked
  }
  const phase = async (): Promise<Phase> => {
    const [times, ages, lists]: [number[], number[], number[]] = [[], [], []]
    for (const chargeback of merchants.take(acceptances)) {
      times.push(await one(chargeback))
      ages.push(...(await merchants.ages()))
      for (let n = 0; n < LISTS; n++) lists.push(await list(service, merchants, chargeback))
    }
    return { p95: percentile(times, 0.95), freshness: percentile(ages, 0.95), listP99: percentile(lists, 0.99) }
  }
  let backfills = 0
  const during = async (): Promise<Phase> => {
    const backfill = await startBackfill(service, ++backfills)
    try {
      const result = await phase()
      if (!(await backfill.goesOn()))
        throw new Error('the backfill ended before the acceptances: it needs more disputes')
      return result
    } finally {
      await backfill.stop()
    }
  }
  const { rounds, loudPairs } = await context.pairsOf({ during, idle: phase }, postmaster)
  const line = (figure: string, unit: string, value: (phase: Phase) => number) =>
    context.metric(
      {
        ...{ name: `overtake.${figure}`, unit, clock: 'wall', ours: rounds.map((round) => value(round.during)) },
        anchor: { name: 'without a backfill', values: rounds.map((round) => value(round.idle)) },
      },
      loudPairs,
    )
  line('p95', 'ms', ({ p95 }) => p95)
  line('freshness', 's', ({ freshness }) => freshness)
  line('list_p99', 'ms', ({ listP99 }) => listP99)
}

/** Another merchant connects an account with all disputes. @returns once pages of it are stored */
async function startBackfill({ db, ring }: Service, number: number) {
  await addIntegrations(db, ring, { count: 1, name: `backfill${number}x` })
  const account = `acct_backfill${number}x0`
  const own = sql`psp_account = ${account}`
  await sql`update integration set next_poll_at = now() where ${own}`.execute(db)
  const stored = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from (select from chargeback where ${own} limit 200) first`.execute(db)
    return (rows[0]?.n ?? 0) >= 200
  }
  await until('the backfill has begun', stored, STARTED_MS)
  return {
    async goesOn() {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from integration where ${own} and last_successful_poll_at is null`.execute(db)
      return rows[0]?.n === 1
    },
    async stop() {
      // Its next page is refused.
      await sql`update integration set status = 'INACTIVE', next_poll_at = null, lease_owner = null, lease_until = null
        where ${own}`.execute(db)
    },
  }
}
