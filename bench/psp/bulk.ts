import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeTexts } from './bulk-texts.ts'
import { type Closing, rememberClosings } from './closings.ts'
import { malformOne } from './poison.ts'

export interface BulkOptions {
  /** Disputes of the account. */
  count: number
  /** Added to each response, ms. */
  delayMs?: number
  /** Every so many disputes is malformed; absent = none. */
  poisonEvery?: number
  /** Disputes of an account whose name begins with `small`: the newest. Absent = as many as the others. */
  small?: number
}

export interface BulkChange {
  prepend?: number
  /** Part of the disputes that change, 0 to 1. */
  share?: number
}

export interface BulkCounters {
  /** Requests of disputes. */
  requests: number
  /** Of the disputes in their responses. */
  bytes: number
  /** Between the first and the last of them, ms. */
  spanMs: number
}

/**
 * Stripe's list of disputes with pages that were serialised beforehand, so that it costs the shared cores little: the
 * same bytes for everybody. It honours `limit`, `starting_after` and `created[gte|gt|lte|lt]` and expands nothing. Every
 * key is welcome; each has its own account, and all accounts have the same disputes.
 */
export interface BulkStripe {
  url: string
  change(change: BulkChange): void
  counters(): BulkCounters
  /** Since they were last asked for. */
  closings(): Closing[]
  close(): Promise<void>
}

export async function serveBulk({ count, delayMs = 0, poisonEvery, small = count }: BulkOptions): Promise<BulkStripe> {
  const texts = makeTexts(count, poisonEvery === undefined ? undefined : malformOne(poisonEvery))
  const closings = rememberClosings(texts)
  const seen = { requests: 0, bytes: 0, first: 0, last: 0 }

  function list(key: string, query: URLSearchParams, response: ServerResponse): void {
    seen.requests++
    seen.last = performance.now()
    if (seen.requests === 1) seen.first = seen.last
    const limit = Number(query.get('limit') ?? 10)
    const after = query.get('starting_after')
    const position = after === null ? -1 : texts.positionOf(after)
    if (position === null) {
      const message = `No such dispute: '${after}'`
      send(response, 404, [JSON.stringify({ error: { type: 'invalid_request_error', message } })])
      return
    }
    const [from, until] = range(query)
    const first = Math.max(position + 1, firstAtMost(texts.createdAt, texts.count(), until))
    const own = key.startsWith(keyOf('acct_small')) ? small : texts.count()
    const end = Math.min(own, firstAtMost(texts.createdAt, texts.count(), from - 1))
    const last = Math.min(first + limit, end)
    const slices = closings.slices(key, first, Math.max(first, last))
    seen.bytes += slices.reduce((sum, slice) => sum + slice.length, 0)
    const parts: (string | Buffer)[] = ['{"object":"list","data":[']
    for (const [index, slice] of slices.entries()) parts.push(...(index > 0 ? [','] : []), slice)
    send(response, 200, [...parts, `],"has_more":${last < end},"url":"/v1/disputes"}`])
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://bulk')
    const key = keyIn(request)
    const one = closings.answer(key, request.method ?? 'GET', url.pathname)
    if (one) send(response, 200, [one])
    else if (url.pathname === '/v1/disputes') list(key, url.searchParams, response)
    else if (url.pathname === '/v1/account') send(response, 200, [JSON.stringify(accountOf(request))])
    else send(response, 200, [JSON.stringify({ object: 'list', data: [], has_more: false, url: url.pathname })])
  }

  const server = createServer((request, response) => {
    request.resume()
    if (delayMs > 0) setTimeout(() => answer(request, response), delayMs)
    else answer(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change({ prepend = 0, share = 0 }) {
      if (prepend > 0) texts.prepend(prepend)
      if (share > 0) texts.change(share)
    },
    closings: closings.taken,
    counters() {
      const counters = { requests: seen.requests, bytes: seen.bytes, spanMs: seen.last - seen.first }
      Object.assign(seen, { requests: 0, bytes: 0, first: 0, last: 0 })
      return counters
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, status: number, parts: (string | Buffer)[]): void {
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes, 'request-id': 'req_bulk' })
  response.cork()
  for (const part of parts) response.write(part)
  response.end()
  response.uncork()
}

/** Inclusive bounds in unix seconds. */
function range(query: URLSearchParams): [from: number, until: number] {
  const bound = (name: string, shift: number, none: number) => {
    const text = query.get(`created[${name}]`)
    return text === null ? none : Number(text) + shift
  }
  return [
    Math.max(bound('gte', 0, 0), bound('gt', 1, 0)),
    Math.min(bound('lte', 0, Number.POSITIVE_INFINITY), bound('lt', -1, Number.POSITIVE_INFINITY)),
  ]
}

/** First position whose time is at most `time`, in a list that falls. */
function firstAtMost(createdAt: (position: number) => number, count: number, time: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (createdAt(middle) <= time) high = middle
    else low = middle + 1
  }
  return low
}

/** `sk_test_<name>` belongs to `acct_<name>`. */
export const keyOf = (account: string) => `sk_test_${account.slice('acct_'.length)}`

const keyIn = ({ headers }: IncomingMessage) => (headers.authorization ?? '').replace(/^Bearer /, '')

function accountOf(request: IncomingMessage): object {
  const key = keyIn(request)
  return {
    id: `acct_${key.replace(/^sk_test_/, '')}`,
    object: 'account',
    created: 1_700_000_000,
    livemode: false,
    charges_enabled: true,
    country: 'US',
  }
}
