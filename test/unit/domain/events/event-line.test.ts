import { expect, test } from 'vitest'
import { eventLine } from '../../../../domain/events/event-line.ts'

test('a test of an endpoint has no merchant', () => {
  const [timestamp, type] = ['2026-02-03T10:15:00.000Z', 'webhook.test']
  expect(eventLine({ timestamp, type, data: { webhookEndpointId: '0198c5a4' } })).toBe(
    '2026-02-03 10:15:00  webhook.test                  -  0198c5a4',
  )
})

test('a line has no control character of foreign text', () => {
  const [timestamp, type] = ['2026-02-03T10:15:00.000Z', 'chargeback.updated']
  const data = { chargeback: { chargebackId: 'du_\u001b[31m\u202e1' } }
  expect(eventLine({ timestamp, type, referenceAccountId: 'shop\n2', data })).toBe(
    '2026-02-03 10:15:00  chargeback.updated            shop2  du_[31m1',
  )
})
