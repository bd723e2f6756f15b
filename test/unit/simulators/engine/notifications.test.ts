import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { connect, refusal } from './connect.ts'

const secret = stripeSimulator.profile.notificationSecret
let url = ''
let received: { body: string; signature: string }[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    received.push({ body, signature: String(request.headers['stripe-signature']) })
    response.writeHead(202).end()
  })
})

beforeEach(async () => {
  received = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function verify({ body, signature }: { body: string; signature: string }): Stripe.Event {
  return new Stripe('sk_test_x').webhooks.constructEvent(body, signature, secret, 300)
}

describe('POST /notifications', () => {
  it('sends signed events that the SDK verifies, oldest first', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    await c.stripe.disputes.close(ref)
    const { body } = await c.control('POST /notifications', { url, ref, count: 2 })
    expect(body.deliveries.map((delivery: { status: number }) => delivery.status)).toEqual([202, 202])
    expect(received.map((one) => verify(one).type)).toEqual(['charge.dispute.updated', 'charge.dispute.closed'])
  })

  it('sends a forged signature', async () => {
    await using c = await connect()
    await c.create({ count: 1 })
    await c.control('POST /notifications', { url, mutate: 'forged' })
    expect((await refusal((async () => verify(received[0] ?? { body: '', signature: '' }))())).type).toBe(
      'StripeSignatureVerificationError',
    )
  })

  it('sends a stale signature', async () => {
    await using c = await connect()
    await c.create({ count: 1 })
    await c.control('POST /notifications', { url, mutate: 'stale' })
    expect(() => verify(received[0] ?? { body: '', signature: '' })).toThrow(/tolerance/)
  })

  it('replays one event as often as requested', async () => {
    await using c = await connect()
    await c.create({ count: 3 })
    await c.control('POST /notifications', { url, count: 10, mutate: 'replayed' })
    expect(received).toHaveLength(10)
    expect(new Set(received.map((one) => verify(one).id)).size).toBe(1)
  })

  it('reorders events', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    await c.stripe.disputes.close(ref)
    await c.control('POST /notifications', { url, ref, count: 2, mutate: 'reordered' })
    expect(received.map((one) => verify(one).type)).toEqual(['charge.dispute.closed', 'charge.dispute.updated'])
  })

  it('reports a receiver that is not reachable', async () => {
    await using c = await connect()
    await c.create({ count: 1 })
    const { body } = await c.control('POST /notifications', { url: 'http://127.0.0.1:9/' })
    expect(body.deliveries).toMatchObject([{ status: null }])
  })
})
