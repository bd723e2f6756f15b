import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { connectStripe } from '../loopback.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const seconds = NOW.getTime() / 1000
const adapter = connectStripe('http://127.0.0.1:9', { now: () => NOW })

function event(changes: Record<string, unknown> = {}): string {
  const data = { object: { id: 'dp_1', object: 'dispute', status: 'won' } }
  return JSON.stringify({ id: 'evt_1', object: 'event', type: 'charge.dispute.closed', data, ...changes })
}

function signed(body: string, timestamp = seconds, secret = 'whsec_loopback') {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })
  return { body, headers: { 'Stripe-Signature': signature } }
}

const kindOf = (work: () => unknown) => {
  try {
    work()
    return 'accepted'
  } catch (error) {
    return (error as { kind?: string }).kind
  }
}

describe('a notification of Stripe', () => {
  test('is used only for the id of the dispute', async () => {
    const envelope = await adapter.verifyNotification(signed(event()))
    expect(envelope).toEqual({ id: 'evt_1', type: 'charge.dispute.closed', body: event() })
    expect(adapter.readNotification(envelope)).toEqual({ references: ['dp_1'] })
  })

  test.each([
    ['five minutes old', seconds - 300, 'accepted'],
    ['older', seconds - 301, 'invalid_request'],
    ['five minutes ahead', seconds + 300, 'accepted'],
    ['further ahead, which the SDK accepts', seconds + 301, 'invalid_request'],
  ])('signed %s', (_, timestamp, expected) =>
    expect(kindOf(() => adapter.verifyNotification(signed(event(), timestamp)))).toBe(expected),
  )

  test('of a connected account is accepted only for that account', () => {
    const platform = connectStripe('http://127.0.0.1:9', { now: () => NOW, externalIdentifier: 'acct_other' })
    expect(kindOf(() => platform.verifyNotification(signed(event({ account: 'acct_other' }))))).toBe('accepted')
    expect(kindOf(() => platform.verifyNotification(signed(event({ account: 'acct_third' }))))).toBe('invalid_request')
    expect(kindOf(() => platform.verifyNotification(signed(event())))).toBe('invalid_request')
    expect(kindOf(() => adapter.verifyNotification(signed(event({ account: 'acct_other' }))))).toBe('invalid_request')
  })

  test('of another kind causes no read, and a thin event is refused', async () => {
    const other = event({ type: 'charge.refunded', data: { object: { id: 'ch_1' } } })
    expect(adapter.readNotification(await adapter.verifyNotification(signed(other)))).toEqual({ references: [] })
    const odd = event({ data: { object: { id: '../x' } } })
    expect(adapter.readNotification(await adapter.verifyNotification(signed(odd)))).toEqual({ references: [] })
    const thin = event({ object: 'v2.core.event' })
    expect(kindOf(() => adapter.verifyNotification(signed(thin)))).toBe('invalid_request')
  })

  test.each(['', 't=1', 'v1', 't=x,v1=', `t=${seconds},v1`, 'v1=abc'])('with the header %j is refused', (header) =>
    expect(kindOf(() => adapter.verifyNotification({ body: event(), headers: { 'stripe-signature': header } }))).toBe(
      'invalid_request',
    ),
  )

  test('is refused if it has a valid signature but is no event', () =>
    expect(kindOf(() => adapter.verifyNotification(signed('[1]')))).toBe('invalid_request'))
})
