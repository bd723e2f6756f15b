import { describe, expect, test } from 'vitest'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { SANDBOX_ACCOUNT, sandboxSimulator } from '../../../../simulators/sandbox/index.ts'

const AUTHORIZATION = `Basic ${Buffer.from(':key-4c1d').toString('base64')}`
const BASE = `/v1/accounts/${SANDBOX_ACCOUNT}`

async function started() {
  const simulator = await startSimulator(sandboxSimulator)
  const order = { count: 1, status: 'needs_response', stage: 'chargeback', dueInHours: 48 }
  const created = await fetch(`${simulator.controlUrl}/disputes`, { method: 'POST', body: JSON.stringify(order) })
  const { disputes } = (await created.json()) as { disputes: { ref: string }[] }
  const reference = disputes[0]?.ref ?? ''
  async function call(path: string, init: { headers?: Record<string, string>; body?: unknown } = {}) {
    const { body, headers } = init
    const response = await fetch(`${simulator.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: AUTHORIZATION, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return { simulator, reference, call, [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose]() }
}

const evidence = (text: string) => ({ digest: 'd'.repeat(64), files: {}, texts: { explanation: text } })

describe('the simulated sandbox PSP is strict', () => {
  test.each([
    ['no credential', BASE, { headers: { authorization: '' } }, 401],
    ['an unknown parameter', `${BASE}/chargebacks?since=1`, {}, 400],
    ['a limit above 100', `${BASE}/chargebacks?limit=101`, {}, 400],
    ['an unknown path', '/v2/chargebacks', {}, 404],
    ['an unknown chargeback', `${BASE}/chargebacks/nothing`, {}, 404],
  ])('%s', async (_, path, init, status) => {
    await using own = await started()
    expect((await own.call(path, init)).status).toBe(status)
  })

  test.each([
    ['no idempotency key', {}, {}, 400],
    ['another content type', { 'idempotency-key': 'k', 'content-type': 'text/plain' }, {}, 415],
    ['an unknown field', { 'idempotency-key': 'k' }, { reason: 'x' }, 400],
  ])('a write with %s', async (_, headers, body, status) => {
    await using own = await started()
    const path = `${BASE}/chargebacks/${own.reference}/accept`
    expect((await own.call(path, { headers, body })).status).toBe(status)
    expect(own.simulator.engine.ledger.effects).toEqual([])
  })

  test('a repeated key returns the first response, and is refused with another body', async () => {
    await using own = await started()
    const path = `${BASE}/chargebacks/${own.reference}/evidence`
    const headers = { 'idempotency-key': 'k' }
    const first = await own.call(path, { headers, body: evidence('sent') })
    expect(await own.call(path, { headers, body: evidence('sent') })).toEqual(first)
    expect((await own.call(path, { headers, body: evidence('other') })).status).toBe(400)
    expect(own.simulator.engine.ledger.effects).toHaveLength(1)
  })
})

describe('the simulated sandbox PSP', () => {
  test.each([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])('decides by a text of the evidence: %s becomes %s after three seconds', async (text, status) => {
    await using own = await started()
    const path = `${BASE}/chargebacks/${own.reference}`
    await own.call(`${path}/evidence`, { headers: { 'idempotency-key': 'k' }, body: evidence(text) })
    expect((await own.call(path)).body.pspStatus).toBe('under_review')
    await fetch(`${own.simulator.controlUrl}/clock`, { method: 'POST', body: JSON.stringify({ seconds: 4 }) })
    expect((await own.call(path)).body.pspStatus).toBe(status)
  })

  test('loses a chargeback whose due date passes without a response', async () => {
    await using own = await started()
    await fetch(`${own.simulator.controlUrl}/clock`, { method: 'POST', body: JSON.stringify({ seconds: 49 * 3600 }) })
    expect((await own.call(`${BASE}/chargebacks/${own.reference}`)).body.pspStatus).toBe('lost')
  })

  test('creates every status and stage in turn', async () => {
    await using own = await started()
    const { situations } = sandboxSimulator.profile
    const order = JSON.stringify({ count: situations.length })
    await fetch(`${own.simulator.controlUrl}/disputes`, { method: 'POST', body: order })
    const { items } = (await own.call(`${BASE}/chargebacks`)).body as {
      items: { chargeback: { pspStatus: string; lifecycleStage: string } }[]
    }
    const seen = new Set(items.map(({ chargeback }) => `${chargeback.pspStatus} ${chargeback.lifecycleStage}`))
    expect(seen).toEqual(new Set(situations.map(({ word, stage }) => `${word} ${stage}`)))
  })
})
