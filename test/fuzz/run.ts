import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '../interface/document.ts'
import { hasRecipe, recipeOf } from '../interface/recipes.ts'
import { draft, request, type Send, type Sent } from '../interface/requests.ts'
import { faultsOfReply, type Reply } from '../interface/response-checks.ts'
import { type Plan, plans } from './plan.ts'
import type { Client, Pools } from './pools.ts'

export interface Fault {
  number: number
  operation: string
  sentence: string
  sent: Sent
  reply: Reply | null
}

export interface Tally {
  operation: string
  requests: number
  /** By status. */
  answers: Map<number, number>
  slowestMs: number
}

export interface Fuzzed {
  faults: Fault[]
  tallies: Tally[]
}

/** One request in so many names a resource of another client. */
const STRANGER = 10

export interface FuzzOptions {
  send: Send
  seed: number
  requests: number
  callers: Client[]
  progress?: (done: number, faults: number) => void
}

/** Sends requests, valid and invalid, and checks every response against the description of the interface. */
export async function fuzz({ send, seed, requests, callers, progress }: FuzzOptions): Promise<Fuzzed> {
  const chosen = operations.filter((one) => !one.open && hasRecipe(one))
  const tallies = new Map(
    chosen.map(({ id, name }) => [id, { operation: name, requests: 0, answers: new Map(), slowestMs: 0 } as Tally]),
  )
  const faults: Fault[] = []
  for (const [number, plan] of plans(chosen, seed, requests).entries()) {
    const client = callers[plan.caller % callers.length] as Client
    const sent = requestOf(plan, client, callers)
    const started = performance.now()
    let reply: Reply | null = null
    const sentences: string[] = []
    try {
      reply = await patiently(send, sent)
      sentences.push(...faultsOf(sent, reply))
    } catch (error) {
      sentences.push(`no response: ${(error as Error).cause ?? error}`)
    }
    const tally = tallies.get(plan.operation.id) as Tally
    tally.requests++
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started)
    tally.answers.set(reply?.status ?? 0, (tally.answers.get(reply?.status ?? 0) ?? 0) + 1)
    for (const sentence of sentences) faults.push({ number, operation: plan.operation.name, sentence, sent, reply })
    if (reply && reply.status < 300 && plan.twist === null) learn(client.pools, plan, reply)
    progress?.(number + 1, faults.length)
  }
  return { faults, tallies: [...tallies.values()] }
}

const learn = (pools: Pools, { operation }: Plan, { text }: Reply) => {
  if (text.startsWith('{') || text.startsWith('[')) pools.learn(operation.id, JSON.parse(text))
}

/** Waits when the service's rate limit refuses a request. */
async function patiently(send: Send, sent: Sent): Promise<Reply> {
  for (;;) {
    const reply = await send(sent)
    if (reply.status !== 429) return reply
    await sleep(Number(reply.headers.get('retry-after') ?? 1) * 1_000)
  }
}

function faultsOf(sent: Sent, reply: Reply): string[] {
  const { pathname } = new URL(sent.path, 'http://localhost')
  const faults = faultsOfReply(sent.method, pathname, reply)
  return reply.status >= 500 ? [`status ${reply.status}`, ...faults] : faults
}

function requestOf(plan: Plan, client: Client, callers: Client[]): Sent {
  const { operation, merchant, changes, query, badId, key, twist, resource } = plan
  const { merchant: own, token } = client
  const owner = resource % STRANGER === 0 ? (callers[resource % callers.length] as Client) : client
  const selected = merchant === 'its own' ? own : merchant === 'none' ? undefined : merchant
  const valid = draft(recipeOf(operation), owner.pools.pick(resource))
  const [first] = Object.keys(valid.path)
  const path = badId !== null && first ? { ...valid.path, [first]: badId.toWellFormed() } : valid.path
  const body = changes.reduce((changed, change) => change(changed), valid.body)
  const sent = request(
    operation,
    { ...valid, path, query, body },
    { ...(token && { token }), ...(selected && { merchant: selected }) },
  )
  const headers = key === null ? sent.headers : { ...sent.headers, 'idempotency-key': key }
  return applyTwist({ ...sent, headers }, twist)
}

function applyTwist(sent: Sent, twist: Plan['twist']): Sent {
  const { body, ...bare } = sent
  switch (twist?.kind) {
    case 'method':
      return { ...(twist.method === 'GET' || twist.method === 'HEAD' ? bare : sent), method: twist.method }
    case 'path':
      return { ...sent, path: sent.path + twist.tail }
    case 'token': {
      const { authorization: _, ...headers } = sent.headers
      return {
        ...sent,
        headers: { ...headers, ...(twist.authorization !== null && { authorization: twist.authorization }) },
      }
    }
    case 'type':
      return { ...sent, headers: { ...sent.headers, 'content-type': twist.type } }
    case 'body':
      return sent.method === 'GET' ? sent : { ...sent, body: twist.text }
    case 'cut':
      return body === undefined ? sent : { ...sent, body: body.slice(0, Math.floor(body.length * twist.share)) }
    default:
      return sent
  }
}
