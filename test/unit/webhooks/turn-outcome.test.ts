import { describe, expect, test } from 'vitest'
import { deliveryAfter, endpointAfter, endsTurn, type Posted } from '../../../domain/webhooks/turn-outcome.ts'

const now = new Date('2026-11-24T16:00:00Z')
const fresh = { failures: 0, failingSince: null }
const days = (count: number) => new Date(now.getTime() - count * 24 * 3600 * 1000)
const outcome = (posted: Posted[], before: { failures: number; failingSince: Date | null } = fresh) =>
  endpointAfter(posted, before, now, () => 0)
const [ok, bad, dead] = [{ status: 204 }, { status: 500 }, { kind: 'timeout' }]

describe('a delivery', () => {
  const delivery = (posted: Posted, attempts = 0, isTest = false) =>
    deliveryAfter(posted, { attempts, isTest }, now, () => 0)
  test('is delivered by a 2xx only', () => {
    for (const status of [200, 201, 204, 299]) expect(delivery({ status }).state).toBe('delivered')
    for (const status of [100, 301, 307, 400, 500]) expect(delivery({ status }).state).toBe('pending')
  })
  test('follows the schedule, fails after the tenth attempt, and obeys Retry-After', () => {
    expect(delivery(bad)).toEqual({ state: 'pending', nextSeconds: 5 })
    expect(delivery(dead, 1)).toEqual({ state: 'pending', nextSeconds: 300 })
    expect(delivery(bad, 9)).toEqual({ state: 'failed', nextSeconds: 0 })
    expect(delivery({ status: 429, retryAfter: '60' })).toEqual({ state: 'pending', nextSeconds: 60 })
  })
  test('of a test has one attempt', () => {
    expect(delivery(bad, 0, true)).toEqual({ state: 'failed', nextSeconds: 0 })
  })
})

describe('an endpoint', () => {
  test('is failing after five failures in a row, or once it is not reached, and a 2xx ends that', () => {
    expect(outcome([bad, bad, bad, bad])).toMatchObject({ failures: 4, pauseSeconds: 0 })
    expect(outcome([bad, bad, bad, bad, bad, bad, bad])).toMatchObject({ failures: 5, pauseSeconds: 5 })
    expect(outcome([dead, dead])).toMatchObject({ failures: 5, pauseSeconds: 5, lastFailure: { kind: 'timeout' } })
    expect(outcome([bad, bad, ok, bad])).toMatchObject({ failures: 1, succeeded: true, lastFailure: { status: 500 } })
    expect(outcome([ok], { failures: 9, failingSince: days(4) })).toMatchObject({ failures: 0, pauseSeconds: 0 })
  })
  test('that fails is probed less and less often', () => {
    expect(outcome([dead], { failures: 5, failingSince: now })).toMatchObject({ failures: 6, pauseSeconds: 10 })
    expect(outcome([bad], { failures: 6, failingSince: now })).toMatchObject({ failures: 7, pauseSeconds: 20 })
  })
  test('that asks for fewer requests gets none for a while, an hour at most', () => {
    expect(outcome([ok, { status: 429, retryAfter: '90' }])).toMatchObject({ failures: 1, pauseSeconds: 90 })
    expect(outcome([{ status: 503 }])).toMatchObject({ pauseSeconds: 5 })
    expect(outcome([{ status: 429, retryAfter: '86400' }])).toMatchObject({ pauseSeconds: 3_600 })
    expect(outcome([{ status: 500, retryAfter: '90' }])).toMatchObject({ pauseSeconds: 0 })
  })
  test('is disabled by 410, and after five days without a 2xx', () => {
    expect(outcome([ok, { status: 410 }]).disabled).toBe('gone')
    expect(outcome([bad], { failures: 90, failingSince: days(5) }).disabled).toBe('unreachable')
    expect(outcome([bad], { failures: 90, failingSince: days(4.9) }).disabled).toBeNull()
    expect(outcome([bad, ok], { failures: 90, failingSince: days(6) }).disabled).toBeNull()
    expect(outcome([], { failures: 90, failingSince: days(6) })).toMatchObject({ failures: 90, disabled: null })
  })
  test('gets nothing more in a turn once it is not reached, asks for fewer, or is gone', () => {
    for (const posted of [dead, { status: 429 }, { status: 410 }]) expect(endsTurn(posted)).toBe(true)
    for (const posted of [ok, bad, { status: 301 }]) expect(endsTurn(posted)).toBe(false)
  })
})
