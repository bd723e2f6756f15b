import pg from 'pg'
import { PeerMissing } from './peers/install.ts'
import { installTemporalServer, SERVER_VERSION } from './peers/temporal-server/start.ts'
import { type OtherSide, openOtherSide, type TemporalAddresses } from './psp/other-side.ts'
import { appRole } from './runner/app-role.ts'
import type { Context } from './runner/context.ts'
import { type Databases, openDatabases } from './runner/databases.ts'
import { openStack } from './runner/stack.ts'
import { openService } from './service/service.ts'
import { accept, addSmallMerchants } from './service/small-merchants.ts'
import { type Wave, wave } from './service/wave.ts'

const DISPUTES = { full: 100, quick: 40 }
const WORKERS = 3
const APIS = 2

export async function run(context: Context): Promise<void> {
  let programs: string
  try {
    programs = await installTemporalServer()
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error
    return context.skip('cluster', context.rows, error.message)
  }
  await using otherSide = await openOtherSide()
  await compare(context, otherSide, await otherSide.temporalOnPostgres(programs))
}

async function compare(
  context: Context,
  otherSide: OtherSide,
  onPostgres: TemporalAddresses & { databases: string[] },
): Promise<void> {
  const acceptances = context.size(100, 20)
  const disputes = DISPUTES[context.quick ? 'quick' : 'full']
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  const pspUrl = await otherSide.bulk({ count: disputes })
  const stack = openStack()
  await using _services = { [Symbol.asyncDispose]: () => stack.dispose() }
  const sideOf = async (name: string, temporal: TemporalAddresses) => {
    const options = { pspUrl, workers: WORKERS, apis: APIS, temporal }
    const service = stack.use(await openService(otherSide, databases, options))
    const merchants = await addSmallMerchants(service, disputes, name)
    return () => wave(otherSide, merchants.take(acceptances), (one) => accept(service, merchants, one))
  }
  const ours = await sideOf('postgres', onPostgres)
  const dev = await sideOf('dev', await otherSide.temporal())
  let commits = 0
  let waves = 0
  const counted = async () => {
    const before = await committed(serverUrl, onPostgres.databases)
    const result = await ours()
    commits += (await committed(serverUrl, onPostgres.databases)) - before
    waves++
    return result
  }
  const { rounds, loudPairs } = await context.pairsOf({ ours: counted, dev }, postmaster)
  await report(context, databases, { acceptances, rounds, loudPairs })
  const each = { unit: 'commits/acceptance', clock: 'count', anchor: null } as const
  context.metric({ ...each, name: 'cluster.temporal_commits', ours: [commits / waves / acceptances] })
}

async function report(
  context: Context,
  databases: Databases,
  {
    acceptances,
    rounds,
    loudPairs,
  }: { acceptances: number; rounds: Record<'ours' | 'dev', Wave>[]; loudPairs: number },
): Promise<void> {
  const postgres = await databases.describe()
  context.fact({ acceptances, workers: WORKERS, apis: APIS, temporal: SERVER_VERSION, postgres })
  const line = (figure: keyof Wave, name: string, unit: string) =>
    context.metric(
      {
        ...{ name: `cluster.${name}`, unit, clock: 'wall', ours: rounds.map((round) => round.ours[figure]) },
        anchor: { name: 'a dev server in memory', values: rounds.map((round) => round.dev[figure]) },
      },
      loudPairs,
    )
  line('perSecond', 'rate', 'acceptances/s')
  line('p50', 'p50', 'ms')
  line('p99', 'p99', 'ms')
}

/** Transactions that Temporal committed, of all its work; statistics are up to a second late. */
async function committed(serverUrl: string, names: readonly string[]): Promise<number> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    const text = 'select sum(xact_commit)::int as n from pg_stat_database where datname = any($1)'
    const { rows } = await client.query<{ n: number }>(text, [names])
    return rows[0]?.n ?? 0
  } finally {
    await client.end()
  }
}
