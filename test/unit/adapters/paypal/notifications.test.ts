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

function asking(status: string | Response, overrides: Parameters<typeof stubbed>[1] = {}) {
  return stubbed(({ path }) => {
    if (path !== VERIFY) return undefined
    return typeof status === 'string' ? json({ verification_status: status }) : status.clone()
  }, overrides)
}

describe('a notification', () => {
  test('is believed when PayPal says so, asked with the event as it came', async () => {
    const { adapter, apiCalls } = asking('SUCCESS')
    const body = `{ "id":"WH-1",\n "event_type":"CUSTOMER.DISPUTE.CREATED","amount":1.10, "resource":{"dispute_id":"${ID}"} }`
    const envelope = await adapter.verifyNotification({ body, headers: headers() })
    expect(envelope).toEqual({ id: 'WH-1', type: 'CUSTOMER.DISPUTE.CREATED', body })
    expect(adapter.readNotification(envelope)).toEqual({ references: [ID] })
    const [call] = apiCalls()
    const asked = call?.body.toString() ?? ''
    expect(asked).toContain(`"webhook_event":${body}`)
    expect(JSON.parse(asked)).toMatchObject({
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
  ])('is refused when PayPal answers %s', async (_, answer) => {
    const { adapter } = asking(answer)
    expect(
      (await errorOf(adapter.verifyNotification({ body: event(), headers: headers() }) as Promise<unknown>)).kind,
    ).toBe('invalid_request')
  })

  test('waits for PayPal when PayPal can’t be asked: it delivers again', async () => {
    const { adapter } = asking(json('down', 503))
    expect(
      (await errorOf(adapter.verifyNotification({ body: event(), headers: headers() }) as Promise<unknown>)).kind,
    ).toBe('unavailable')
  })

  const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000).toISOString()
  test.each([
    ['no header', () => ({ 'PayPal-Transmission-Sig': '' })],
    ['a certificate in the clear', () => ({ 'PayPal-Cert-Url': 'http://api.paypal.com/cert' })],
    ['a foreign certificate', () => ({ 'PayPal-Cert-Url': 'https://api.paypal.com.evil.example/cert' })],
    ['a certificate of a name alike', () => ({ 'PayPal-Cert-Url': 'https://evilpaypal.com/cert' })],
    ['a time older than three days and its repetitions', () => ({ 'PayPal-Transmission-Time': hours(-74) })],
    ['a time ahead', () => ({ 'PayPal-Transmission-Time': hours(1) })],
    ['no time', () => ({ 'PayPal-Transmission-Time': 'soon' })],
  ])('with %s is refused without asking PayPal', async (_, changed) => {
    const { adapter, calls } = asking('SUCCESS')
    const work = adapter.verifyNotification({ body: event(), headers: headers(changed() as Record<string, string>) })
    expect((await errorOf(work as Promise<unknown>)).kind).toBe('invalid_request')
    expect(calls).toHaveLength(0)
  })

  test('that was delivered first two days ago is believed', async () => {
    const { adapter } = asking('SUCCESS')
    const late = headers({ 'PayPal-Transmission-Time': hours(-48) })
    expect(await adapter.verifyNotification({ body: event(), headers: late })).toMatchObject({ id: 'WH-1' })
  })

  test.each(['', '[]', '{', '{"id":"WH-1"}', '{"event_type":"X"}', event({ id: 7 })])(
    'with the body %j is refused without asking PayPal',
    async (body) => {
      const { adapter, calls } = asking('SUCCESS')
      expect((await errorOf(adapter.verifyNotification({ body, headers: headers() }) as Promise<unknown>)).kind).toBe(
        'invalid_request',
      )
      expect(calls).toHaveLength(0)
    },
  )

  test('without a webhook id says how to add one', async () => {
    const { clientId, clientSecret } = SECRET
    const { adapter } = asking('SUCCESS', { secret: { clientId, clientSecret } })
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
    const { adapter } = asking('SUCCESS')
    const body = event({ event_type, resource })
    expect(adapter.readNotification({ id: 'WH-1', type: event_type, body })).toEqual({ references })
  })
})
