import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** ms between two requests: 900 a minute stay below the limit. */
const EVERY_MS = 66
const LATEST_MS = 10_000

export interface Measured {
  /** ms of each request. */
  times: number[]
  /** Status or error of each request that did not return 200. */
  failed: string[]
}

/** ms, rounded to a tenth; `share` 0.99 is p99. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10
}

/** Tenants that read their chargebacks at the same time. More than one, because a p99 of few requests is chance. */
export async function honestReads(at: { port: number; tokens: readonly string[] }, ms: number): Promise<Measured> {
  const { port, tokens } = at
  const all = await Promise.all(tokens.map((token) => readsOf({ port, token }, ms)))
  return { times: all.flatMap(({ times }) => times), failed: all.flatMap(({ failed }) => failed) }
}

/** One request after the other, over one connection. */
async function readsOf(at: { port: number; token: string }, ms: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const failed: string[] = []
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const began = performance.now()
    const result = await read(agent, at)
    times.push(performance.now() - began)
    if (result !== '200') failed.push(result)
    await pause(EVERY_MS)
  }
  agent.destroy()
  return { times, failed }
}

function read(agent: Agent, { port, token }: { port: number; token: string }): Promise<string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    const options = { agent, host: '127.0.0.1', port, path: '/v1/chargebacks?limit=10', headers, timeout: LATEST_MS }
    const sent = request(options, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)))
      response.on('error', (error) => resolve(error.message))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no response in ${LATEST_MS} ms`)))
    sent.on('error', (error) => resolve(error.message))
    sent.end()
  })
}
