import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { SUBJECTS } from '../adapters/conformance/subjects.ts'
import { listChargebacks } from '../db/chargebacks/chargeback-list.ts'
import { readChargeback } from '../db/chargebacks/chargebacks.ts'
import { connect } from '../db/core/connect.ts'
import { migrate } from '../db/core/migrate.ts'
import { setRowSecurity } from '../db/core/row-security.ts'
import { inScope, type Scope } from '../db/core/scope.ts'
import { readKeyRing } from '../db/core/seal.ts'
import type { Source } from '../domain/integration.ts'
import { prepareAccount } from './account.ts'
import { type Cost, timed } from './clocks.ts'
import { numberOption, readOptions } from './command.ts'
import { type Databases, openDatabases } from './databases.ts'
import { openOtherSide } from './other-side.ts'
import { openPoller, type PollerOptions } from './poller.ts'
import { describeMachine, loadNow, printLine, printMetric } from './report.ts'

export const USAGE = `tenancy: what row-level security costs, statement by statement, with and without it in turns

  --count <disputes>   default 2000
  --reads <statements> of each kind and round, default 500
  --rounds <rounds>    default 9, after one that is not counted

Both sides work as the restricted role and prepare the single read. Without: the policies are off and no statement
carries a scope.`

const SOURCE: Source = 'stripe'
const SIDES = ['without', 'with'] as const
type Side = (typeof SIDES)[number]
type Figures = Record<'list' | 'read' | 'page', Cost>

export async function tenancy(words: string[]): Promise<void> {
  const options = readOptions(words, ['count', 'reads', 'rounds'])
  const count = numberOption('count', options.count, 2_000, 200_000)
  const reads = numberOption('reads', options.reads, 500, 100_000)
  const rounds = numberOption('rounds', options.rounds, 9, 100)
  const subject = SUBJECTS.find(({ definition }) => definition.source === SOURCE)
  if (!subject) throw new Error(`there is no simulator of ${SOURCE}`)

  const before = loadNow('before')
  const external = process.env.DATABASE_URL
  await using otherSide = await openOtherSide(SOURCE, { postgres: !external })
  const serverUrl = external ?? otherSide.postgres?.url ?? ''
  // Dropped after the databases in which it has rights.
  await using _role = { [Symbol.asyncDispose]: () => dropRole(serverUrl) }
  await using databases = await openDatabases(serverUrl)
  const ring = readKeyRing(`bench:${randomBytes(32).toString('base64')}`)
  console.error(`tenancy: preparing ${count} disputes`)
  const prepared = await databases.create()
  const integrationId = await prepareAccount(prepared, ring, subject, otherSide, count)
  const templates = { with: prepared, without: await databases.create(prepared) }
  for (const side of SIDES) await protect(templates[side], side)
  const { pspUrl, postgres } = otherSide
  const poller = { ring, source: SOURCE, pspUrl, integrationId, postgresPid: postgres?.pid ?? null }

  const pairs: Record<Side, Figures>[] = []
  for (let round = 0; round <= rounds; round++) {
    const pair = {} as Record<Side, Figures>
    for (const side of round % 2 ? SIDES : SIDES.toReversed())
      pair[side] = await measure(databases, templates[side], side, poller, reads)
    console.error(`tenancy: ${round === 0 ? 'warm-up' : `round ${round}`}: ${inWords(pair)}`)
    if (round > 0) pairs.push(pair)
  }
  const loads = { load_before: before, load_after: loadNow('after') }
  const facts = { disputes: count, reads, rounds, ...describeMachine(), postgres: await databases.describe() }
  printLine({ name: 'tenancy.run', ...facts, ...loads })
  for (const kind of ['list', 'read', 'page'] as const)
    for (const clock of ['postgresCpuMs', 'wallMs', 'cpuMs'] as const)
      if (pairs.every((pair) => pair.with[kind][clock] !== null))
        printMetric({
          name: `tenancy.${kind}.${NAMES[clock]}`,
          unit: 'with ÷ without',
          values: pairs.map((pair) => (pair.with[kind][clock] ?? 0) / (pair.without[kind][clock] ?? 0)),
        })
}

const NAMES = { postgresCpuMs: 'postgres_cpu', wallMs: 'wall', cpuMs: 'cpu' }

const ROLE = 'recoup_bench_app'
const asApp = (url: string) => Object.assign(new URL(url), { username: ROLE, password: 'recoup' }).href

async function dropRole(serverUrl: string): Promise<void> {
  const owner = connect(serverUrl, { scope: 'owner', max: 1 })
  await owner.pool.query(`drop role if exists ${ROLE}`).finally(() => owner.destroy())
}

async function protect(url: string, side: Side): Promise<void> {
  const owner = connect(url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  try {
    await migrate(owner, 'sandbox', asApp(url))
    await setRowSecurity(owner, side === 'with')
  } finally {
    await owner.destroy()
  }
}

/** The first load, page by page, then lists and single reads of the result. */
async function measure(
  databases: Databases,
  template: string,
  side: Side,
  options: Omit<PollerOptions, 'databaseUrl' | 'scope'>,
  reads: number,
): Promise<Figures> {
  const ownerUrl = await databases.create(template)
  const url = asApp(ownerUrl)
  try {
    await databases.checkpoint()
    await using poller = openPoller({ ...options, databaseUrl: url, scope: side === 'with' ? 'system' : 'none' })
    const { cost: page } = await poller.poll()
    return { page, ...(await measureReads(url, ownerUrl, side, options.postgresPid, reads)) }
  } finally {
    await databases.drop(ownerUrl)
  }
}

async function measureReads(url: string, ownerUrl: string, side: Side, postgresPid: number | null, reads: number) {
  const owner = connect(ownerUrl, { scope: 'owner', max: 1 })
  await owner.pool.query('analyze')
  const rows = await owner.selectFrom('chargeback').select(['id', 'merchant_uuid']).limit(reads).execute()
  const { account_id: accountId } = await owner.selectFrom('account').select('account_id').executeTakeFirstOrThrow()
  await owner.destroy()
  const merchantUuid = rows[0]?.merchant_uuid ?? ''
  const db = connect(url, { scope: 'none', max: 1 })
  if (side === 'without') db.pool.on('connect', prepareReads)
  const scope: Scope = { accountId, merchantUuid }
  const each = async (work: (chargebackId: string) => Promise<unknown>) => {
    const all = async () => {
      for (let n = 0; n < reads; n++) await work(rows[n % rows.length]?.id ?? '')
    }
    const { cost } = await timed(postgresPid, side === 'with' ? () => inScope(scope, all) : all)
    return cost
  }
  try {
    const request = { merchantUuid, limit: 50, page: 1, after: null, filter: {} }
    const read = await each((chargebackId) => readChargeback(db, { merchantUuid, chargebackId }))
    return { list: await each(() => listChargebacks(db, request)), read }
  } finally {
    await db.destroy()
  }
}

/** As in the scope of a merchant, without setting one. */
function prepareReads(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((text: string, values: unknown[]) =>
    query(text.endsWith('/* prepared */') ? { name: 'read', text, values } : text, values)) as typeof client.query
}

function inWords(pair: Record<Side, Figures>): string {
  const one = (side: Side) => {
    const { list, read, page } = pair[side]
    return `${side}: ${[list, read, page].map(({ wallMs, postgresCpuMs }) => `${Math.round(wallMs)}/${postgresCpuMs ?? '?'}`).join(' ')}`
  }
  return `ms wall/Postgres CPU of lists, reads, load; ${SIDES.map(one).join('; ')}`
}
