import { hasPgbench, pgbenchLists } from './baselines/pgbench/index.ts'
import { openOtherSide } from './psp/other-side.ts'
import { makeDataset } from './reads/dataset.ts'
import { hasWrk, type LoadResult, loadLists } from './reads/load.ts'
import { redactionUs } from './reads/redaction.ts'
import { openApi, openBareServer } from './reads/servers.ts'
import { appRole } from './runner/app-role.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'

const WARM_UP_SECONDS = { full: 12, quick: 2 }

export async function run(context: Context): Promise<void> {
  const seconds = context.quick ? 2 : 8
  const warmUpSeconds = WARM_UP_SECONDS[context.quick ? 'quick' : 'full']
  const chargebacks = context.size(1_000_000, 50_000)
  const wrk = await hasWrk()
  if (!wrk) context.skip('list.wrk', ['P8', 'P8c'], 'wrk 4.1.0 is not installed')
  const pgbench = wrk && (await hasPgbench())
  if (wrk && !pgbench) context.skip('list.pgbench', ['P8c'], 'pgbench is not installed')

  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  context.say(`making ${chargebacks} chargebacks`)
  const data = await makeDataset(databases, chargebacks)
  context.fact({ disputes: chargebacks, analyzed: true, postgres: await databases.describe(), wrk })
  await using api = await openApi(data)
  await using bare = await openBareServer(data)
  const load = (server: typeof api) => () => loadLists(server, data.merchants, { wrk, seconds, postmaster })
  // Compilers and caches need thousands of requests, whatever the time of a round.
  for (const server of [api, bare]) await loadLists(server, data.merchants, { wrk, seconds: warmUpSeconds, postmaster })
  const redaction = context.quick ? 20_000 : 100_000
  const sides = {
    redaction: async (): Promise<LoadResult> => {
      return { perSecond: null, cpuUs: await redactionUs(redaction), postgresCpuUs: null }
    },
    ours: load(api),
    bare: load(bare),
    ...(pgbench && {
      pgbench: async (): Promise<LoadResult> => {
        return { perSecond: await pgbenchLists(data, seconds), cpuUs: null, postgresCpuUs: null }
      },
    }),
  }
  const { rounds, loudPairs } = await context.pairsOf<string, LoadResult>(sides, postmaster)
  const compare = (
    name: string,
    unit: string,
    clock: 'wall' | 'cpu',
    beside: { side: string; name: string },
    value: (result: LoadResult) => number | null,
  ) => {
    const of = (side: string) => rounds.map((round) => value(round[side] as LoadResult))
    const [ours, values] = [of('ours'), of(beside.side)]
    if ([...ours, ...values].includes(null)) return
    const anchor = { name: beside.name, values: values as number[] }
    context.metric({ name, unit, clock, ours: ours as number[], anchor }, loudPairs)
  }
  const baseline = { side: 'bare', name: bare.name }
  if (wrk) compare('list.rate', 'requests/s', 'wall', baseline, ({ perSecond }) => perSecond)
  compare('list.cpu', 'µs/request', 'cpu', baseline, ({ cpuUs }) => cpuUs)
  compare('list.postgres_cpu', 'µs/request', 'cpu', baseline, ({ postgresCpuUs }) => postgresCpuUs)
  const cpuOf = (side: string) => rounds.map((round) => round[side]?.cpuUs ?? Number.NaN)
  const [redacted, requests] = [cpuOf('redaction'), cpuOf('ours')]
  const share = redacted.map((us, index) => us / (requests[index] ?? Number.NaN))
  if (!share.includes(Number.NaN))
    context.metric({ name: 'list.redaction', unit: 'of a request', clock: 'cpu', ours: share, anchor: null }, loudPairs)
  const ceiling = { side: 'pgbench', name: 'pgbench with the same SQL' }
  if (pgbench) compare('list.pgbench', 'requests/s', 'wall', ceiling, ({ perSecond }) => perSecond)
}
