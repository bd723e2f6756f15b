import { describe, expect, test } from 'vitest'
import { errorOf, ID, json, NOW, SECRET, stubbed } from './paypal.ts'

const VERIFY = '/v1/notifications/verify-webhook-signature'
const event = (changes: object = {}) =>
  JSON.stringify({ id: 'WH-1', event_type: 'CUSTOMER.DISPUTE.UPDATED', resource: { dispute_id: ID }, ...changes })

const headers = (changes: Record<string, string> = {}) => ({
  'PayPal-Auth-Algo': 'SHA256withRSA',
  'PayPal-Cert-Url': 'https://api.paypal.com/v1/notifications/certs/CERT-1',
  'PayPal-Transmission-Id': 'T-1',
  'PayPal-Transmission-Sig': 'c2ln',
  'PayPal-Transmission-Time': NOW.toISOString(),
  ...changes,
})

function verifying(status: string | Response, overrides: Parameters<typeof stubbed>[1] = {}) {
  return stubbed(({ path }) => {
    if (path !== VERIFY) return undefined
    return typeof status === 'string' ? json({ verification_status: status }) : status.clone()
  }, overrides)
}

describe('a notification', () => {
  test('is accepted if PayPal confirms the unchanged event', async () => {
    const { adapter, apiCalls } = verifying('SUCCESS')
    const body = `{ "id":"WH-1",\n "event_type":"CUSTOMER.DISPUTE.CREATED","amount":1.10, "resource":{"dispute_id":"${ID}"} }`
    const envelope = await adapter.verifyNotification({ body, headers: headers() })
    expect(envelope).toEqual({ id: 'WH-1', type: 'CUSTOMER.DISPUTE.CREATED', body })
    expect(adapter.readNotification(envelope)).toEqual({ references: [ID] })
    const [call] = apiCalls()
    const sent = call?.body.toString() ?? ''
    expect(sent).toContain(`"webhook_event":${body}`)
    expect(JSON.parse(sent)).toMatchObject({
      auth_algo: 'SHA256withRSA',
      cert_url: 'https://api.paypal.com/v1/notifications/certs/CERT-1',
      transmission_id: 'T-1',
      transmission_sig: 'c2ln',
      transmission_time: NOW.toISOString(),
      webhook_id: 'WH1',
    })
  })

  test.each([
    ['FAILURE', 'FAILURE'],
    ['nothing', ''],
    ['400', json({ name: 'VALIDATION_ERROR' }, 400)],
  ])('is refused if PayPal returns %s', async (_, response) => {
    const { adapter } = verifying(response)
    expect(
      (await errorOf(adapter.verifyNotification({ body: event(), headers: headers() }) as Promise<unknown>)).kind,
    ).toBe('invalid_request')
  })

  test('is unavailable if PayPal can’t verify it, so that PayPal delivers it again', async () => {
    const { adapter } = verifying(json('down', 503))
    expect(
      (await errorOf(adapter.verifyNotification({ body: event(), headers: headers() }) as Promise<unknown>)).kind,
    ).toBe('unavailable')
  })

  const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000).toISOString()
  test.each([
    ['no signature', () => ({ 'PayPal-Transmission-Sig': '' })],
    ['a certificate over plain HTTP', () => ({ 'PayPal-Cert-Url': 'http://api.paypal.com/cert' })],
    ['a foreign certificate', () => ({ 'PayPal-Cert-Url': 'https://api.paypal.com.evil.example/cert' })],
    ['a certificate of a similar host', () => ({ 'PayPal-Cert-Url': 'https://evilpaypal.com/cert' })],
    ['a time older than three days of retries', () => ({ 'PayPal-Transmission-Time': hours(-74) })],
    ['a time in the future', () => ({ 'PayPal-Transmission-Time': hours(1) })],
    ['an invalid time', () => ({ 'PayPal-Transmission-Time': 'soon' })],
  ])('with %s is refused without asking PayPal', async (_, changed) => {
    const { adapter, calls } = verifying('SUCCESS')
    const work = adapter.verifyNotification({ body: event(), headers: headers(changed() as Record<string, string>) })
    expect((await errorOf(work as Promise<unknown>)).kind).toBe('invalid_request')
    expect(calls).toHaveLength(0)
  })

  test('that was first delivered two days ago is accepted', async () => {
    const { adapter } = verifying('SUCCESS')
    const late = headers({ 'PayPal-Transmission-Time': hours(-48) })
    expect(await adapter.verifyNotification({ body: event(), headers: late })).toMatchObject({ id: 'WH-1' })
  })

  test.each(['', '[]', '{', '{"id":"WH-1"}', '{"event_type":"X"}', event({ id: 7 })])(
    'with the body %j is refused without asking PayPal',
    async (body) => {
      const { adapter, calls } = verifying('SUCCESS')
      expect((await errorOf(adapter.verifyNotification({ body, headers: headers() }) as Promise<unknown>)).kind).toBe(
        'invalid_request',
      )
      expect(calls).toHaveLength(0)
    },
  )

  test('without a webhook id says how to add one', async () => {
    const { clientId, clientSecret } = SECRET
    const { adapter } = verifying('SUCCESS', { secret: { clientId, clientSecret } })
    const error = await errorOf(adapter.verifyNotification({ body: event(), headers: headers() }) as Promise<unknown>)
    expect([error.kind, error.message.includes('webhookId')]).toEqual(['config_invalid', true])
  })

  test.each([
    ['CUSTOMER.DISPUTE.RESOLVED', { dispute_id: ID }, [ID]],
    ['RISK.DISPUTE.CREATED', { dispute_id: ID }, [ID]],
    ['PAYMENT.CAPTURE.COMPLETED', { dispute_id: ID }, []],
    ['CUSTOMER.DISPUTE.UPDATED', { dispute_id: '../x' }, []],
    ['CUSTOMER.DISPUTE.UPDATED', null, []],
  ])('of %s about %j names %j', (event_type, resource, references) => {
    const { adapter } = verifying('SUCCESS')
    const body = event({ event_type, resource })
    expect(adapter.readNotification({ id: 'WH-1', type: event_type, body })).toEqual({ references })
  })
})
