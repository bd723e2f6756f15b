import assert from 'node:assert/strict'
import type { PspErrorKind } from '../../errors.ts'
import { type PspFetch, pspFetch } from '../../shared/psp-fetch.ts'
import { type Bench, impatient, readOverHttp, refusal } from '../bench.ts'
import { must, type Suite } from '../check.ts'

/** Faults of a read: the error kind that the engine needs, after one call, without a wait in the adapter. */
const UNAVAILABLE = [
  '500',
  '502_html',
  '503_empty',
  '409',
  'reset',
  'malformed',
  'truncated',
  'empty',
  '200_html',
  'redirect',
]

export const limitsSuite: Suite = {
  name: 'limits',
  checks: [
    ...UNAVAILABLE.map((kind) => ({
      name: `${kind} is unavailable, after one call`,
      run: (bench: Bench) => fails(bench, { kind }, 'unavailable'),
    })),
    {
      name: '429 without Retry-After is rate_limited with a wait',
      run: (bench) => limited(bench, undefined, 500, 60_000),
    },
    { name: '429 with Retry-After in seconds', run: (bench) => limited(bench, '3', 3000, 3000) },
    { name: '429 with Retry-After as a date', run: asDate },
    { name: '429 with an absurd Retry-After is capped', run: (bench) => limited(bench, '360000', 60_000, 3_600_000) },
    { name: 'a body that comes late is read', run: slow },
    { name: 'a body that trickles ends with the call’s deadline', run: trickle },
    { name: 'an answer that never comes ends with the call’s deadline', run: silence },
    { name: 'after the fault the same page is read', run: recovers },
  ],
}

function list(bench: Bench, fetchWith: PspFetch = pspFetch) {
  const counting: PspFetch = (url, request) => {
    bench.requested.push(url)
    return fetchWith(url, request)
  }
  return readOverHttp(bench, bench.connect({ fetch: counting }))
}

async function arm(bench: Bench, fault: Record<string, unknown>) {
  await bench.control('POST', '/faults', { count: 50, match: { path: bench.subject.listPath }, ...fault })
}

async function fails(bench: Bench, fault: Record<string, unknown>, kind: PspErrorKind) {
  await bench.create({ count: 3 })
  await arm(bench, fault)
  const error = await refusal(list(bench))
  assert.equal(error.kind, kind)
  const { listPath, narrows } = bench.subject
  const calls = bench.requested.filter((address) => new URL(address).pathname.startsWith(listPath))
  const most = narrows && /^(5|malformed)/.test(String(fault.kind)) ? 2 : 1
  assert.equal(calls.length, most, 'the adapter repeated the call by itself')
  return error
}

async function limited(bench: Bench, retryAfter: string | undefined, least: number, most: number) {
  const error = await fails(bench, { kind: '429', ...(retryAfter !== undefined && { retryAfter }) }, 'rate_limited')
  const wait = error.retryAfterMs ?? -1
  must(wait >= least && wait <= most, `waits ${wait} ms`)
}

function asDate(bench: Bench) {
  const date = new Date(bench.now().getTime() + 10_000).toUTCString()
  return limited(bench, date, 7000, 11_000)
}

async function slow(bench: Bench) {
  await bench.create({ count: 3 })
  await arm(bench, { kind: 'slow', delayMs: 300 })
  assert.equal(await list(bench), 3)
}

async function trickle(bench: Bench) {
  await bench.create({ count: 3 })
  await arm(bench, { kind: 'trickle', delayMs: 50 })
  const error = await refusal(list(bench, impatient(400)))
  assert.equal(error.kind, 'unavailable')
}

async function silence(bench: Bench) {
  await arm(bench, { kind: 'timeout' })
  const error = await refusal(list(bench, impatient(300)))
  assert.equal(error.kind, 'unavailable')
}

async function recovers(bench: Bench) {
  await bench.create({ count: 3 })
  await bench.control('POST', '/faults', { kind: '500', count: bench.subject.narrows ? 2 : 1 })
  assert.equal((await refusal(list(bench))).kind, 'unavailable')
  assert.equal(await list(bench), 3)
}
