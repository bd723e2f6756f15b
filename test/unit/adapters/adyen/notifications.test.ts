import { hmacValidator } from '@adyen/api-library'
import { describe, expect, test } from 'vitest'
import { signatureOf } from '../../../../adapters/adyen/notifications.ts'
import { ACCOUNT, connectAdyen, DISPUTE, delivery, HMAC, item, opened, PAYMENT } from './adyen.ts'

const verify = async (body: string, headers = {}, overrides = {}) =>
  connectAdyen(overrides).verifyNotification({ body, headers })
const refused = { name: 'PspError', kind: 'invalid_request' }

describe('the signature', () => {
  const published = {
    pspReference: '7914073381342284',
    originalReference: '',
    merchantAccountCode: 'TestMerchant',
    merchantReference: 'TestPayment-1407325143704',
    amount: { value: 1130, currency: 'EUR' },
    eventCode: 'AUTHORISATION',
    success: 'true',
  }

  test("is that of Adyen's published example", () => {
    expect(signatureOf(published, HMAC)).toBe('coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=')
  })

  test("is valid for Adyen's SDK", () => {
    const one = opened()
    const signed = {
      ...one,
      additionalData: { ...(one.additionalData as object), hmacSignature: signatureOf(one, HMAC) },
    }
    expect(new hmacValidator().validateHMAC(signed as never, HMAC)).toBe(true)
  })

  test.each(['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference', 'eventCode', 'success'])(
    'a changed %s is refused',
    async (field) => {
      const body = JSON.parse(delivery([opened()]))
      body.notificationItems[0].NotificationRequestItem[field] = 'Altered'
      await expect(verify(JSON.stringify(body))).rejects.toMatchObject(refused)
    },
  )

  test.each(['value', 'currency'])('a changed amount.%s is refused', async (field) => {
    const body = JSON.parse(delivery([opened()]))
    body.notificationItems[0].NotificationRequestItem.amount[field] = field === 'value' ? 1 : 'USD'
    await expect(verify(JSON.stringify(body))).rejects.toMatchObject(refused)
  })

  test('does not cover status and date: such a change is accepted, so the path must stay secret', async () => {
    const body = JSON.parse(delivery([opened()]))
    body.notificationItems[0].NotificationRequestItem.additionalData.disputeStatus = 'Won'
    await expect(verify(JSON.stringify(body))).resolves.toMatchObject({ type: 'NOTIFICATION_OF_CHARGEBACK' })
  })

  test('is refused if it is missing, if another or an empty key signed it, or if there are no items', async () => {
    const unsigned = JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem: opened() }] })
    const bodies = [
      delivery([opened()], 'false', 'AB'.repeat(32)),
      delivery([opened()], 'false', ''),
      unsigned,
      '{"live":"false","notificationItems":[]}',
      '{"live":"false","notificationItems":[{"NotificationRequestItem":"text"}]}',
      '',
      '[]',
      'nonsense',
    ]
    for (const body of bodies) await expect(verify(body), body).rejects.toMatchObject(refused)
  })

  test('of either key is accepted while keys are rotated', async () => {
    const secret = { hmac: `${'AB'.repeat(32)}, ${HMAC}`, apiKey: 'AQEkey' }
    await expect(verify(delivery([opened()]), {}, { secret })).resolves.toBeDefined()
  })

  test('one invalid item among several makes the delivery invalid', async () => {
    const body = JSON.parse(delivery([opened(), item('CHARGEBACK', 2)]))
    body.notificationItems[1].NotificationRequestItem.success = 'false'
    await expect(verify(JSON.stringify(body))).rejects.toMatchObject(refused)
  })
})

describe('a delivery', () => {
  test('for another merchant account is refused', async () => {
    const theirs = item('CHARGEBACK', 1, { merchantAccountCode: 'TestMerchantecom' })
    await expect(verify(delivery([theirs]))).rejects.toMatchObject(refused)
  })

  test('has the same id if it is repeated, and another id for another event', async () => {
    const [first, again, other] = await Promise.all(
      [delivery([opened(1)]), delivery([opened(1)]), delivery([opened(2)])].map((body) => verify(body)),
    )
    expect(first?.id).toBe(again?.id)
    expect(other?.id).not.toBe(first?.id)
  })

  test('is stored under the dispute and under its payment', async () => {
    const { readNotification } = connectAdyen()
    const read = async (one: Record<string, unknown>) => readNotification(await verify(delivery([one]))).references
    expect(await read(opened())).toEqual([DISPUTE, PAYMENT])
    expect(await read(item('AUTHORISATION', 1, { pspReference: PAYMENT, originalReference: undefined }))).toEqual([
      PAYMENT,
    ])
    expect(await read(item('REPORT_AVAILABLE', 1, { pspReference: 'dispute_report.csv' }))).toEqual([])
  })

  test('from the other environment is acknowledged, so that it is quarantined and not retried for 30 days', async () => {
    await expect(verify(delivery([opened()], 'true'))).resolves.toBeDefined()
  })

  test('needs the password if the webhook has one', async () => {
    const secret = { hmac: HMAC, apiKey: 'AQEkey', webhookUsername: 'adyen', webhookPassword: 'correct horse' }
    const authorization = `Basic ${Buffer.from('adyen:correct horse').toString('base64')}`
    await expect(verify(delivery([opened()]), { Authorization: authorization }, { secret })).resolves.toBeDefined()
    await expect(verify(delivery([opened()]), { Authorization: 'Basic eDp5' }, { secret })).rejects.toMatchObject(
      refused,
    )
    await expect(verify(delivery([opened()]), {}, { secret })).rejects.toMatchObject(refused)
  })
})

describe('an HMAC key that is not hex', () => {
  test.each(['not hex', 'abc', '', 'zz'.repeat(32), `${HMAC},`])(
    '"%s" is refused, because it would be decoded as a shorter or empty key',
    (hmac) => {
      expect(() => connectAdyen({ secret: { hmac, apiKey: 'AQEkey' }, externalIdentifier: ACCOUNT })).toThrow(
        /HMAC key/,
      )
    },
  )
})
