import { describe, expect, it, test } from 'vitest'
import { fieldsOf, payloadOf, signOf } from '../../../console/integrations/data.ts'
import { timeAgo } from '../../../console/parts/ago.tsx'
import { faultsOf, problemsByField } from '../../../console/parts/problems.ts'

describe('problemsByField', () => {
  const names = ['integrationName', 'externalIdentifier', 'apiKey', 'webhookSecret']

  it('puts each sentence of a refusal beside its field, and the rest above', () => {
    expect(
      problemsByField('secretPayload.apiKey: Required; integrationName: Invalid characters; limit: Too high', names),
    ).toEqual({ apiKey: 'Required', integrationName: 'Invalid characters', '': 'limit: Too high' })
  })

  it('has the summary name them in the order of the form, by their titles', () => {
    const fields = [
      { name: 'url', title: 'Address' },
      { name: 'description', title: 'What it is' },
      { name: 'events', title: 'Events to send' },
    ]
    const problems = problemsByField('events: Too many; url: Must begin with https; payload: Unknown', [
      ...['url', 'description', 'events'],
    ])
    expect(faultsOf(fields, problems)).toEqual([
      { id: 'field-url', label: 'Address', problem: 'Must begin with https' },
      { id: 'field-events', label: 'Events to send', problem: 'Too many' },
    ])
  })

  it('keeps a sentence that names no field whole', () => {
    const sentence = 'This is no Stripe API key: those begin with sk or rk; then live or test. Copy it again.'
    expect(problemsByField(sentence, names)).toEqual({ '': sentence })
  })

  it('joins two sentences about one field', () => {
    expect(problemsByField('apiKey: Too long; apiKey: Invalid characters', names)).toEqual({
      apiKey: 'Too long Invalid characters',
    })
  })
})

test('fields of a credential: required first, what verifies notifications can come later', () => {
  const fields = fieldsOf({
    secretType: 'APIKEY_ONLY',
    notificationFields: ['hook', 'hmac'],
    schema: {
      properties: {
        hook: { title: 'Signing secret', description: 'Of the webhook.', writeOnly: true },
        key: { title: 'Key', writeOnly: true },
        hmac: { title: 'HMAC key' },
        bare: {},
        old: { title: 'Of earlier days', deprecated: true },
      },
      required: ['key', 'hmac'],
    },
  })
  expect(fields.map(({ name, required, later, secret }) => [name, required, later, secret])).toEqual([
    ['key', true, false, true],
    ['hmac', true, false, false],
    ['hook', false, true, true],
    ['bare', false, false, false],
  ])
  expect(fields.at(-1)).toMatchObject({ title: 'bare', help: '' })
  expect(payloadOf({ key: 'a', hook: ' ', hmac: '' })).toEqual({ key: 'a' })
})

test('a problem shows also where the status is good', () => {
  const of = { integrationId: '', integrationName: '', source: 'stripe', statusChangedAt: '', quarantined: 0 } as const
  expect(signOf({ ...of, status: 'SUCCESSFUL' })).toEqual(['●', 'good'])
  expect(signOf({ ...of, status: 'SUCCESSFUL', problem: 'The poll failed.' })).toEqual(['▲', 'warn'])
  expect(signOf({ ...of, status: 'FAILED', problem: 'No.' })).toEqual(['▲', 'bad'])
})

test('time ago', () => {
  const now = Date.parse('2026-01-03T00:00:00Z')
  const ago = (ms: number) => timeAgo(new Date(now - ms).toISOString(), now)
  expect([-5_000, 0, 59_999, 60_000, 3_599_999, 3_600_000, 47 * 3_600_000, 48 * 3_600_000].map(ago)).toEqual([
    ...['0 s ago', '0 s ago', '59 s ago', '1 min ago', '59 min ago', '1 h ago', '47 h ago', '2 d ago'],
  ])
})
