import { sql } from 'kysely'
import { byOwner } from '../../harness/database.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { ADAPTERS, type AdapterName, simulated } from '../testbed/psps.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { breakHandshakes } from './handshakes.ts'
import { connectListed, injectListFault, LISTS, type Listed } from './listing.ts'
import { HEAP_MB, MEMORY_TITLE, watchMemory, weighDown } from './memory.ts'
import { runOutages } from './outages.ts'
import { PSP_FAULTS } from './psp-faults.ts'

/**
 * Every fault between worker and PSP while disputes are listed, then network faults to Postgres and Temporal while
 * commands are requested. The reduced form has some of the latter only: the conformance kit injects faults into every
 * adapter's list.
 */
export async function runNetworkFaults(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const atPsps = options.reduced ? [] : [...(await faultLists(options)), ...(await breakHandshakes(options))]
  return [...atPsps, ...(await runOutages(options))]
}

async function faultLists({ adapters = ADAPTERS, cell, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const faults = Object.entries(PSP_FAULTS)
  const wanted = (key: string, adapter: AdapterName) => !cell || cell === `psp:${key}:${adapter}`
  const listing = adapters.filter(
    (adapter) => LISTS[adapter] && (cell === 'memory' || faults.some(([key]) => wanted(key, adapter))),
  )
  const outcomes: SuiteOutcome[] = faults.flatMap(([key, { title }]) =>
    cell ? [] : adapters.filter((adapter) => !LISTS[adapter]).map((adapter) => skipped(key, title, adapter)),
  )
  if (listing.length === 0) return outcomes
  await using doors = await openDoors(listing)
  await using stack = await stackBehind(doors.of)
  using memory = watchMemory(stack.workers.at(-1)?.pid ?? 0)
  const all: Listed[] = []
  const runAll = async (adapter: AdapterName, door: FaultProxy) => {
    const running = adapter === 'stripe' ? stack.simulator : stack.others.get(adapter)
    if (!running) throw new Error(`there is no simulator of ${adapter}`)
    door.target = running.url
    const listed = await connectListed(stack, adapter, running, door)
    all.push(listed)
    for (const [key, fault] of faults.filter(([one]) => wanted(one, adapter))) {
      const began = Date.now()
      const why = await injectListFault(listed, fault)
      const name = `psp:${key}:${adapter}`
      print?.(`  ${name}: ${why.join('; ') || 'every dispute is stored'}, ${Date.now() - began} ms`)
      outcomes.push(outcomeOf(name, fault.title, adapter, why))
    }
  }
  await Promise.all([...doors.of].map(([adapter, door]) => runAll(adapter, door)))
  if (cell && cell !== 'memory') return outcomes
  const why = await weighDown(all, memory, print)
  return [...outcomes, { name: 'memory', title: MEMORY_TITLE, ...resultOf(why) }]
}

const resultOf = (why: string[]) => ({ result: why.length > 0 ? ('failed' as const) : ('passed' as const), why })

const outcomeOf = (name: string, row: string, column: string, why: string[]): SuiteOutcome => ({
  ...{ name, title: row, place: { row, column } },
  ...resultOf(why),
})

function skipped(key: string, row: string, column: string): SuiteOutcome {
  const why = ['it has no list of disputes: they come by notification']
  return { name: `psp:${key}:${column}`, title: row, place: { row, column }, result: 'skipped', why }
}

async function openDoors(adapters: readonly AdapterName[]) {
  const of = new Map<AdapterName, FaultProxy>()
  for (const adapter of adapters) of.set(adapter, await openFaultProxy())
  return {
    of,
    async [Symbol.asyncDispose]() {
      await Promise.all([...of.values()].map((door) => door[Symbol.asyncDispose]()))
    },
  }
}

/** The workers reach the PSPs through the proxies. */
async function stackBehind(doors: ReadonlyMap<AdapterName, FaultProxy>): Promise<Stack> {
  const psps = [...doors].filter(([adapter]) => adapter !== 'stripe').map(([adapter]) => simulated(adapter))
  const stack = await startStack({
    psps: Object.fromEntries(psps.map(({ addressVariable, definition }) => [addressVariable, definition])),
    env: {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
      ...Object.fromEntries([...doors].map(([adapter, { url }]) => [simulated(adapter).addressVariable, url])),
    },
  })
  // Other tests cover our own rate limit; Retry-After still counts.
  await byOwner(
    stack.databaseUrl,
    sql`
    create function plenty() returns trigger language plpgsql as $$ begin new.tokens := 1000; return new; end $$;
    create trigger plenty before insert or update on rate_bucket for each row execute function plenty()`,
  )
  return stack
}
