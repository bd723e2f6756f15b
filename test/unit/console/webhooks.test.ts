import { describe, expect, it, test } from 'vitest'
import {
  type Endpoint,
  EVENTS,
  patternsOf,
  problemOf,
  resultOf,
  sends,
  typesIn,
} from '../../../console/webhooks/data.ts'
import { EVENT_PATTERNS, EVENT_TYPES, matchingTypes } from '../../../domain/events/catalogue.ts'

test('the checklist has every type of the log, and patterns mean what the service means', () => {
  expect(Object.keys(EVENTS).sort()).toEqual([...EVENT_TYPES].sort())
  for (const pattern of EVENT_PATTERNS)
    expect([...typesIn([pattern])].sort(), pattern).toEqual(matchingTypes([pattern]).sort())
  expect(sends(['chargeback.*'], 'chargebacks.created')).toBe(false)
})

describe('patternsOf', () => {
  it.each([
    [['*'], ['*']],
    [
      ['chargeback.*', 'alert.created'],
      ['chargeback.*', 'alert.created'],
    ],
    [
      ['chargeback.won', 'chargeback.lost'],
      ['chargeback.won', 'chargeback.lost'],
    ],
    [EVENT_PATTERNS.filter((one) => one.endsWith('.*')), ['*']],
    [[], []],
  ])('%j', (given, expected) => {
    expect(patternsOf(typesIn(given))).toEqual(expected)
  })
})

test('the problem of an endpoint, in a sentence', () => {
  const endpoint: Endpoint = {
    ...{ id: '', url: 'https://a.example', events: ['*'], payload: 'full', signature: 'hmac' },
    ...{ state: 'enabled', createdAt: '', pending: 0 },
  }
  expect(problemOf(endpoint)).toBeUndefined()
  const lastFailure = { at: '', kind: 'timeout' }
  expect(problemOf({ ...endpoint, state: 'failing', pending: 3, lastFailure })).toBe(
    'It fails: no answer in time. 3 events wait; one is tried from time to time.',
  )
  expect(problemOf({ ...endpoint, state: 'disabled', disabledReason: 'gone' })).toBe(
    'It answered 410, which says that it wants nothing more. Nothing is sent.',
  )
  expect(resultOf({ status: 503 })).toBe('answered 503')
  expect(resultOf({ kind: 'a new kind' })).toBe('a new kind')
})
