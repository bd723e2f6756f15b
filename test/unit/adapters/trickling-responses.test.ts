import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { secretOf } from '../../../adapters/conformance/bench.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { pspFetch } from '../../../adapters/shared/psp-fetch.ts'

/** Replaces the deadline of a call. */
const SHORT_MS = 100
const later = globalThis.setTimeout

afterEach(() => vi.restoreAllMocks())

/** A server whose bodies trickle and never end. */
async function openDripping() {
  const drips = new Set<NodeJS.Timeout>()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    drips.add(setInterval(() => response.write(' '), 10))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const drip of drips) clearInterval(drip)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Shortens and counts the deadlines that are set. */
function shortenDeadlines(timeoutMs: number): () => number {
  let deadlines = 0
  const shorten = (ms: number | undefined) => {
    if (ms !== timeoutMs) return ms
    deadlines++
    return SHORT_MS
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: (...values: unknown[]) => void,
    ms?: number,
    ...values: unknown[]
  ) => later(() => work(...values), shorten(ms))) as typeof setTimeout)
  return () => deadlines
}

test.each(SUBJECTS.map((subject) => [subject.definition.source, subject] as const))(
  '%s: a response that trickles ends a read at its deadline, which is a minute at most',
  async (_, subject) => {
    const { definition, simulator } = subject
    const { timeoutMs } = definition.limits
    expect(timeoutMs).toBeLessThanOrEqual(60_000)
    await using psp = await openDripping()
    const deadlines = shortenDeadlines(timeoutMs)
    const adapter = definition.connect({
      secret: secretOf(subject, simulator.secretPayload),
      externalIdentifier: simulator.externalIdentifier,
      pspAccount: simulator.externalIdentifier,
      baseUrl: psp.url,
      environment: 'sandbox',
      fetch: pspFetch,
      now: () => new Date(),
    })
    await expect(adapter.checkCredentials()).rejects.toMatchObject({ kind: 'unavailable' })
    expect(deadlines()).toBeGreaterThan(0)
  },
)
