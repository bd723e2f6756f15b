import { setTimeout as pause } from 'node:timers/promises'
import { createDatabase } from '../../harness/database.ts'
import { takeNamespace } from '../../harness/namespace.ts'
import { pollNow } from '../../harness/rows.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { answerOf } from '../responses.ts'
import { type NetworkFault, openProxy, type TcpProxy } from './proxy.ts'

/** Duration of each fault, and number of clients meanwhile. */
const LASTS_MS = 4_000
const REDUCED_MS = 2_000
const CLIENTS = 4

const TROUBLES: Readonly<Record<string, { title: string; trouble: NetworkFault }>> = {
  reset: { title: 'every connection reset, twice a second', trouble: { kind: 'reset', everyMs: 500 } },
  delay: { title: 'a delay of 300 ms in each direction', trouble: { kind: 'delay', ms: 300 } },
  cut: { title: 'every connection cut after 4 KB of responses', trouble: { kind: 'cut', bytes: 4_000 } },
  silent: { title: 'nothing arrives, and no error is reported', trouble: { kind: 'silent' } },
  down: { title: 'connections are refused', trouble: { kind: 'down' } },
}
const SERVERS = ['postgres', 'temporal'] as const
/** The one of each server in the reduced form. */
const REDUCED: readonly string[] = ['postgres:down', 'temporal:reset']

/** Network faults to Postgres or Temporal for some seconds, while clients request acceptances and read. */
export async function runOutages({ reduced, cell, adapters, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const cells = SERVERS.flatMap((server) =>
    Object.entries(TROUBLES).map(([key, { title, trouble }]) => ({ name: `${server}:${key}`, server, title, trouble })),
  ).filter(({ name }) => (cell ? cell === name : !reduced || REDUCED.includes(name)))
  if (cells.length === 0 || (adapters && !adapters.includes('stripe'))) return []
  const outcomes: SuiteOutcome[] = []
  await using testbed = await openEnvironment(cells.length * CLIENTS)
  for (const { name, server, title, trouble } of cells) {
    const began = Date.now()
    const why = await runCell(testbed, testbed[server], trouble, reduced ? REDUCED_MS : LASTS_MS)
    print?.(`  ${name}: ${why.join('; ') || 'accepted or refused cleanly, none lost'}, ${Date.now() - began} ms`)
    const place = { row: title, column: server }
    outcomes.push({ name, title, place, result: why.length > 0 ? 'failed' : 'passed', why })
  }
  return outcomes
}

interface Environment extends AsyncDisposable {
  stack: Stack
  postgres: TcpProxy
  temporal: TcpProxy
  /** Ids of chargebacks that can be accepted. */
  open: { id: string; reference: string }[]
}

/** The processes reach their servers through proxies; the test itself connects directly. */
async function openEnvironment(chargebacks: number): Promise<Environment> {
  const { temporalAddress } = testServers()
  const database = await createDatabase()
  const namespace = await takeNamespace()
  const direct = new URL(database.url)
  const postgres = await openProxy({ host: direct.hostname, port: Number(direct.port) })
  const [host = '', port = ''] = temporalAddress.split(':')
  const temporal = await openProxy({ host, port: Number(port) })
  const through = new URL(database.url)
  through.hostname = '127.0.0.1'
  through.port = String(postgres.port)
  const stack = await startStack({
    databaseUrl: database.url,
    temporal: { address: temporalAddress, namespace },
    env: {
      DATABASE_URL: through.href,
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      RECOUP_COMMAND_TIMEOUT_MS: '8000',
    },
  })
  await stack.control('POST', '/disputes', { count: chargebacks, status: 'needs_response', stage: 'chargeback' })
  await pollNow(stack, await stack.connectStripe())
  const rows = await stack.db.selectFrom('chargeback').select(['id', 'chargeback_id']).execute()
  return {
    stack,
    postgres,
    temporal,
    open: rows.map((row) => ({ id: row.id, reference: row.chargeback_id })),
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]()
      await Promise.all([postgres[Symbol.asyncDispose](), temporal[Symbol.asyncDispose]()])
      await database[Symbol.asyncDispose]()
    },
  }
}

async function runCell(
  { stack, open }: Environment,
  proxy: TcpProxy,
  trouble: NetworkFault,
  lastsMs: number,
): Promise<string[]> {
  const chosen = open.splice(0, CLIENTS)
  const why: string[] = []
  const before = proxy.struck()
  await proxy.set(trouble)
  let over = false
  const clients = chosen.map(async ({ id }, index) => {
    await pause((index * lastsMs) / CLIENTS / 2)
    for (;;) {
      const late = over
      const { status, clean } = await answerOf(stack, `/chargebacks/${id}/accept`, { method: 'POST' })
      if (!clean) why.push(`a command got ${status ?? 'no response'}`)
      if (status === 200) return
      const read = await answerOf(stack, `/chargebacks/${id}`)
      if (!read.clean) why.push(`a read got ${read.status ?? 'no response'}`)
      if (late) await pause(200)
    }
  })
  await pause(lastsMs)
  over = true
  if (proxy.struck() === before) why.push('the fault hit no connection')
  await proxy.set({ kind: 'none' })
  const all = Promise.race([Promise.all(clients).then(() => true), pause(60_000).then(() => false)])
  if (!(await all)) why.push('I3: a client got no response although the fault is over')
  why.push(...(await ended(stack, chosen)))
  return [...new Set(why)]
}

/** I2, I3: each has one effect at the PSP, and has succeeded. */
async function ended(stack: Stack, chosen: Environment['open']): Promise<string[]> {
  const states = () =>
    stack.db
      .selectFrom('command')
      .select(['chargeback_id', 'status'])
      .where(
        'chargeback_id',
        'in',
        chosen.map(({ id }) => id),
      )
      .execute()
  const why: string[] = []
  await until('every command has succeeded', states, {
    holds: (rows) => rows.length === chosen.length && rows.every(({ status }) => status === 'succeeded'),
    timeoutMs: 90_000,
  }).catch((error) => why.push(`I3: ${(error as Error).message.slice(0, 300)}`))
  const { effects } = stack.simulator.engine.ledger
  for (const { reference } of chosen) {
    const own = effects.filter(({ ref, kind }) => ref === reference && kind === 'acceptance')
    if (own.length !== 1) why.push(`I2: ${own.length} effects`)
  }
  return why
}
