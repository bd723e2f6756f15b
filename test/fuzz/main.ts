import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startTestServers } from '../harness/servers.ts'
import { startStack, stripeIntegration } from '../harness/stack.ts'
import { operations } from '../interface/document.ts'
import { recipeOf } from '../interface/recipes.ts'
import { type Caller, draft, request, type Send, toService } from '../interface/requests.ts'
import type { PspAccount } from '../interface/resources.ts'
import { buildWorld } from '../interface/world.ts'
import { type Client, clientsOf, createPools } from './pools.ts'
import { report } from './report.ts'
import { fuzz } from './run.ts'

const HELP = `npm run fuzz [-- --requests 10000] [--seed <number>] [--url http://127.0.0.1:8080 --token <token> [--merchant <reference>]]

Sends generated requests, valid and invalid, to a running service and checks every response against the description of
the interface. Without --url it starts its own API, worker, Postgres and Temporal. At a service named by --url it really
accepts, deactivates and erases: never use one whose data matter.
`

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    url: { type: 'string' },
    token: { type: 'string' },
    merchant: { type: 'string' },
    help: { type: 'boolean' },
  },
})

/** Chargebacks of each merchant: many, because a chargeback that was accepted or contested supports less. */
const CHARGEBACKS = 100

interface Target {
  send: Send
  callers: Client[]
  /** Faults of the process after the last response. */
  judge(): Promise<string[]>
}

/** @param owned collects what must be stopped, however the run ends */
async function ownService(owned: AsyncDisposable[]): Promise<Target> {
  const servers = await startTestServers()
  owned.push(servers)
  Object.assign(process.env, servers.env)
  const env = { RECOUP_RATE_LIMIT_PER_MINUTE: '1000000', RECOUP_LOG_LEVEL: 'warn' }
  const stack = await startStack({ workers: 1, apis: 1, env })
  owned.push(stack)
  const send = toService(stack.apis[0]?.url ?? '')
  const world = await buildWorld(stack.db, stack.ring, send, stripeIntegration() as PspAccount)
  const callers = clientsOf(world)
  for (let n = 0; n < CHARGEBACKS; n++)
    for (const tenant of world.tenants)
      callers
        .find(({ merchant }) => merchant === tenant.referenceId)
        ?.pools.add({ chargeback: await world.freshChargeback(tenant) })
  return {
    send,
    callers,
    async judge() {
      const errors = stack.lines().filter((line) => /"level":"(error|fatal)"/.test(line))
      const health = await send({ method: 'GET', path: '/ready', headers: {} }).catch(() => null)
      return [...errors.slice(0, 5), ...(health?.status === 200 ? [] : ['the process no longer responds'])]
    },
  }
}

/** A running service: its resources are found through its lists. */
async function namedService(origin: string, caller: Caller): Promise<Target> {
  const send = toService(origin.replace(/\/(v1\/?)?$/, ''))
  const pools = createPools()
  for (const operation of operations.filter(({ id, template }) => id.startsWith('list') && !template.includes('{'))) {
    const none = draft({ status: 200 }, pools.pick(0))
    const { status, text } = await send(request(operation, { ...none, query: [['limit', '40']] }, caller))
    if (status === recipeOf(operation).status) pools.learn(operation.id, JSON.parse(text))
  }
  return { send, callers: [{ ...caller, pools }], judge: async () => [] }
}

async function main(owned: AsyncDisposable[]): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { url, token, merchant } = values
  if (url && !token) throw new Error('--url needs --token')
  const requests = Number(values.requests)
  const seed = values.seed === undefined ? randomInt(2 ** 31 - 1) : Number(values.seed)
  if (!Number.isInteger(requests) || !Number.isInteger(seed)) throw new Error('--requests and --seed are whole numbers')
  process.stdout.write(`${requests} requests, seed ${seed}\n`)
  const target = url
    ? await namedService(url, { token: token ?? '', ...(merchant && { merchant }) })
    : await ownService(owned)
  const started = performance.now()
  const progress = (done: number, faults: number) => {
    if (done % 1_000 === 0) process.stdout.write(`${done} requests, ${faults} responses outside the description\n`)
  }
  const fuzzed = await fuzz({ ...target, seed, requests, progress })
  const seconds = (performance.now() - started) / 1_000
  const sentences = await target.judge()
  process.stdout.write(`\n${report(fuzzed, { seed, seconds })}\n`)
  for (const sentence of sentences) process.stdout.write(`${sentence}\n`)
  return fuzzed.faults.length + sentences.length === 0 ? 0 : 1
}

const owned: AsyncDisposable[] = []
process.exitCode = await main(owned).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  return 1
})
for (const one of owned.reverse()) await one[Symbol.asyncDispose]()
