import type pg from 'pg'
import { listChargebacks } from '../db/chargebacks/chargeback-list.ts'
import { readChargeback } from '../db/chargebacks/chargebacks.ts'
import { connect } from '../db/core/connect.ts'
import { migrate } from '../db/core/migrate.ts'
import { setRowSecurity } from '../db/core/row-security.ts'
import { inScope, type Scope } from '../db/core/scope.ts'
import { openRecoup, prepareBulk, type Recoup } from './ours/recoup.ts'
import { onFreshDatabase } from './peers/contender.ts'
import { openOtherSide } from './psp/other-side.ts'
import { appRole, asApp } from './runner/app-role.ts'
import { type Cost, timed } from './runner/clocks.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'

const SIDES = ['without', 'with'] as const
type Side = (typeof SIDES)[number]
type Figures = Record<'list' | 'read' | 'page', Cost>

/**
 * Both sides work as the restricted role and prepare the single read. Without: the policies are off and no statement
 * carries a scope.
 */
export async function run(context: Context): Promise<void> {
  const count = context.size(2_000, 500)
  const reads = context.quick ? 200 : 500
  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  // Ends after the databases that it has rights in.
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  const pspUrl = await otherSide.bulk({ count })
  const prepared = await prepareBulk(databases)
  const templates = { with: prepared.template, without: await databases.create(prepared.template) }
  for (const side of SIDES) await protect(templates[side], side)
  const open = (side: Side) => {
    const scope = side === 'with' ? 'system' : 'none'
    const recoup = openRecoup({ ...prepared, template: templates[side] }, { pspUrl, postmaster, scope })
    return { ...recoup, open: (url: string) => recoup.open(asApp(url)) }
  }
  await using protectedSide = open('with')
  await using openSide = open('without')
  const measureSide = (side: Side, recoup: Recoup) => () =>
    onFreshDatabase(databases, recoup, async ({ sync }, url): Promise<Figures> => {
      const page = await sync()
      return { page, ...(await measureReads(asApp(url), url, side, postmaster, reads)) }
    })
  const sides = { with: measureSide('with', protectedSide), without: measureSide('without', openSide) }
  const { rounds, loudPairs } = await context.pairsOf<Side, Figures>(sides, postmaster)
  context.fact({ disputes: count, reads, postgres: await databases.describe() })
  for (const kind of ['list', 'read', 'page'] as const)
    for (const clock of ['postgresCpuMs', 'wallMs', 'cpuMs'] as const) {
      const values = (side: Side) => rounds.map((round) => round[side][kind][clock])
      const [ours, anchor] = [values('with'), values('without')]
      if ([...ours, ...anchor].includes(null)) continue
      context.metric(
        {
          name: `tenancy.${kind}.${NAMES[clock]}`,
          unit: 'ms',
          clock: clock === 'wallMs' ? 'wall' : 'cpu',
          ours: ours as number[],
          anchor: { name: 'without row-level security', values: anchor as number[] },
        },
        loudPairs,
      )
    }
}

const NAMES = { postgresCpuMs: 'postgres_cpu', wallMs: 'wall', cpuMs: 'cpu' }

async function protect(url: string, side: Side): Promise<void> {
  const owner = connect(url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  try {
    await migrate(owner, 'sandbox', asApp(url))
    await setRowSecurity(owner, side === 'with')
  } finally {
    await owner.destroy()
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
  const each = async (work: (chargebackId: string) => Promise<unknown>, times = reads) => {
    const all = async () => {
      for (let n = 0; n < times; n++) await work(rows[n % rows.length]?.id ?? '')
    }
    const { cost } = await timed(postgresPid, side === 'with' ? () => inScope(scope, all) : all)
    return cost
  }
  try {
    const request = { merchantUuid, limit: 50, page: 1, after: null, filter: {} }
    // A read costs 0.1 ms: ten times as many, because Linux counts processor time in steps of 10 ms.
    const read = await each((chargebackId) => readChargeback(db, { merchantUuid, chargebackId }), reads * 10)
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
