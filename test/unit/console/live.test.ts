import { expect, test } from 'vitest'
import { changedBy } from '../../../console/api/live.ts'
import { ROUTES, type Schemas } from '../../../console/api/operations.ts'
import { pauseAfter } from '../../../console/api/pause.ts'
import { keyOf } from '../../../console/api/use-read.ts'

const event = (type: string, data: object) => ({ type, data }) as unknown as Schemas['Event']

test('an event about a chargeback makes its reads and the lists old, and those of no other', () => {
  const changed = changedBy(event('acceptance.succeeded', { chargebackId: 'a' }))
  const isChanged = (key: string) => changed.some((prefix) => key.startsWith(prefix))
  expect(isChanged(keyOf('readChargeback', { params: { id: 'a' }, query: { expand: 'actions' } }))).toBe(true)
  expect(isChanged(keyOf('listEvidenceSubmissions', { params: { id: 'a' } }))).toBe(true)
  expect(isChanged(keyOf('listChargebacks', { merchant: 'shop', query: { limit: 50 } }))).toBe(true)
  expect(isChanged(keyOf('readChargeback', { params: { id: 'ab' } }))).toBe(false)
  expect(isChanged(keyOf('listIntegrations', {}))).toBe(false)
})

test('every read that an event names is an operation', () => {
  const named = ['chargeback.won', 'alert.created', 'integration.failed', 'webhook_endpoint.disabled'].flatMap((type) =>
    changedBy(event(type, type === 'chargeback.won' ? { chargebackId: 'a' } : {})),
  )
  for (const name of named.map((prefix) => prefix.split(' ')[0] ?? '')) expect(ROUTES).toHaveProperty(name)
})

test('the pause grows to half a minute, and differs between pages', () => {
  expect([1, 2, 3, 6, 20].map((failures) => pauseAfter(failures, 1))).toEqual([1_000, 2_000, 4_000, 30_000, 30_000])
  expect(pauseAfter(1, 0)).toBe(500)
})
