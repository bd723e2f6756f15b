import { execFileSync } from 'node:child_process'
import { sql } from 'kysely'
import { type Stack, startStack } from '../harness/stack.ts'
import { type Door, openDoor } from './door.ts'
import { connectListed, LISTS, spoilListing } from './listing.ts'
import { strikeServers } from './outages.ts'
import { PSP_FAULTS } from './psp-faults.ts'
import { ADAPTERS, type AdapterName, simulated } from './psps.ts'
import type { SuiteOptions, SuiteOutcome } from './suites.ts'

/** What a worker may take beyond what it had, MB: a page is read as a whole, and unpacked up to a bound. */
const MEMORY_MB = 450
/**
 * Every trouble on the way to a PSP while it lists, then on the way to our own servers while commands are asked for. The
 * reduced form has some of these only: adapter by adapter the conformance kit spoils every list.
 */
export async function troubleOnce(options: SuiteOptions): Promise<SuiteOutcome[]> {
  return [...(options.reduced ? [] : await spoilLists(options)), ...(await strikeServers(options))]
}

async function spoilLists({ adapters = ADAPTERS, cell, told }: SuiteOptions): Promise<SuiteOutcome[]> {
  const faults = Object.entries(PSP_FAULTS)
  const wanted = (key: string, adapter: AdapterName) => !cell || cell === `psp:${key}:${adapter}`
  const listing = adapters.filter((adapter) => LISTS[adapter] && faults.some(([key]) => wanted(key, adapter)))
  const outcomes: SuiteOutcome[] = faults.flatMap(([key, { title }]) =>
    cell ? [] : adapters.filter((adapter) => !LISTS[adapter]).map((adapter) => skipped(key, title, adapter)),
  )
  if (listing.length === 0) return outcomes
  await using doors = await openDoors(listing)
  await using stack = await stackBehind(doors.of)
  const memory = watchMemory(stack)
  const strikeAll = async (adapter: AdapterName, door: Door) => {
    const running = adapter === 'stripe' ? stack.simulator : stack.others.get(adapter)
    if (!running) throw new Error(`there is no simulator of ${adapter}`)
    door.target = running.url
    const listed = await connectListed(stack, adapter, running, door)
    for (const [key, fault] of faults.filter(([one]) => wanted(one, adapter))) {
      const began = Date.now()
      const why = await spoilListing(listed, fault)
      const name = `psp:${key}:${adapter}`
      told?.(`  ${name}: ${why.join('; ') || 'all is ours'}, ${Date.now() - began} ms`)
      outcomes.push(outcomeOf(name, fault.title, adapter, why))
    }
  }
  await Promise.all([...doors.of].map(([adapter, door]) => strikeAll(adapter, door)))
  const grown = memory.stop()
  const why = grown > MEMORY_MB ? [`the worker grew by ${grown} MB, not at most ${MEMORY_MB}`] : []
  told?.(`  memory: ${grown} MB more at the most`)
  return [...outcomes, { name: 'memory', title: 'the worker’s memory through all of it', ...resultOf(why) }]
}

const resultOf = (why: string[]) => ({ result: why.length > 0 ? ('failed' as const) : ('passed' as const), why })

const outcomeOf = (name: string, row: string, column: string, why: string[]): SuiteOutcome => ({
  ...{ name, title: row, place: { row, column } },
  ...resultOf(why),
})

function skipped(key: string, row: string, column: string): SuiteOutcome {
  const why = ['it has no list: its disputes come by notification']
  return { name: `psp:${key}:${column}`, title: row, place: { row, column }, result: 'skipped', why }
}

async function openDoors(adapters: readonly AdapterName[]) {
  const of = new Map<AdapterName, Door>()
  for (const adapter of adapters) of.set(adapter, await openDoor())
  return {
    of,
    async [Symbol.asyncDispose]() {
      await Promise.all([...of.values()].map((door) => door[Symbol.asyncDispose]()))
    },
  }
}

/** The workers know the PSPs by their doors. */
async function stackBehind(doors: ReadonlyMap<AdapterName, Door>): Promise<Stack> {
  const psps = [...doors].filter(([adapter]) => adapter !== 'stripe').map(([adapter]) => simulated(adapter))
  const stack = await startStack({
    psps: Object.fromEntries(psps.map(({ addressVariable, definition }) => [addressVariable, definition])),
    env: Object.fromEntries([...doors].map(([adapter, { url }]) => [simulated(adapter).addressVariable, url])),
  })
  // Our own pace is another test's matter; what a PSP asks for by Retry-After still counts.
  await sql`
    create function plenty() returns trigger language plpgsql as $$ begin new.tokens := 1000; return new; end $$;
    create trigger plenty before insert or update on rate_bucket for each row execute function plenty()`.execute(
    stack.db,
  )
  return stack
}

/** Megabytes that the worker has beyond what it had at first, at the most. */
function watchMemory({ workers }: Stack): { stop(): number } {
  const pid = workers.at(-1)?.pid ?? 0
  const megabytes = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
  const first = megabytes()
  let most = first
  const look = () => {
    try {
      most = Math.max(most, megabytes())
    } catch {
      // It ended: others tell of that.
    }
  }
  const timer = setInterval(look, 250)
  return {
    stop() {
      clearInterval(timer)
      look()
      return Math.round(most - first)
    },
  }
}
