import { describe, expect, test } from 'vitest'
import { APPLIED, REPLAYED } from '../../../../db/commands/psp-operations.ts'
import { requestOf } from '../../../faults/testbed/psps.ts'
import { until } from '../../../harness/until.ts'
import { accept, acceptCalls } from './accept-in-process.ts'
import { type Fixture, openFixture, subjectOf } from './submission-fixture.ts'

/**
 * Acceptances whose response was lost, at PSPs that don't show who closed a dispute (decision 56). Real activities and
 * database, no Temporal.
 */

const faulty = (fixture: Fixture, ref: string, kind: string) =>
  fixture.control('POST', '/faults', { kind, count: 1, match: requestOf('stripe', 'accept', ref) })
const decidedLost = (fixture: Fixture, ref: string) => () =>
  fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })

describe('stripe', () => {
  test('applied, but the response was lost: Stripe repeats it for the same key, and the command succeeds', async () => {
    await using fixture = await openFixture(subjectOf('stripe'))
    const { ref, id } = await fixture.open()
    const { command, operation, calls } = await accept(fixture, id, () => faulty(fixture, ref, 'reset_after_apply'))
    expect(command.status).toBe('succeeded')
    expect(operation).toMatchObject({ state: 'confirmed', outcome: APPLIED, attempts: 2 })
    const writes = acceptCalls('stripe', calls, ref)
    expect(writes).toHaveLength(2)
    expect(new Set(writes.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    expect(await fixture.effects(ref, 'acceptance')).toHaveLength(1)
  })

  test.each([
    ['never arrived before the bank decided', 'reset', 0, 2],
    ['was applied, but Stripe stored a 500 for it', '500_after_apply', 1, 2],
  ])('a call that %s: stays open with a hint where to look, and is repeated once', async (_, kind, effects, calls) => {
    await using fixture = await openFixture(subjectOf('stripe'))
    const { ref, id } = await fixture.open()
    const decided = kind === 'reset' ? once(decidedLost(fixture, ref)) : undefined
    const found = await accept(fixture, id, () => faulty(fixture, ref, kind), decided)
    expect(found.command.status).toBe('inProgress')
    expect(found.error).toContain("see its timeline in Stripe's dashboard")
    expect(found.operation).toMatchObject({ state: 'unknown', ...(effects === 1 && { outcome: REPLAYED }) })
    expect(acceptCalls('stripe', found.calls, ref)).toHaveLength(calls)
    expect(await fixture.effects(ref, 'acceptance')).toHaveLength(effects)
    expect(await fixture.chargeback(ref)).toMatchObject({ psp_status: 'lost' })
  })

  test('a response that arrived is stored even if the read after it fails: nothing is sent again', async () => {
    await using fixture = await openFixture(subjectOf('stripe'))
    const { ref, id } = await fixture.open()
    const hold = fixture.engine.holds.arm(requestOf('stripe', 'accept', ref) ?? {}, 'apply', 1)
    const match = { method: 'GET', path: `/v1/disputes/${ref}` }
    const unreadableAfterIt = until('Stripe has the call', () => hold.held.length > 0).then(async () => {
      await fixture.control('POST', '/faults', { kind: '500', count: 1, match })
      fixture.engine.holds.release(hold.id)
    })
    const { command, operation, calls } = await accept(fixture, id, async () => undefined)
    await unreadableAfterIt
    expect(command.status).toBe('succeeded')
    expect(operation).toMatchObject({ state: 'confirmed', outcome: APPLIED, attempts: 1 })
    expect(acceptCalls('stripe', calls, ref)).toHaveLength(1)
  })
})

test('paypal: a call that never arrived before a decision without a reason: open, with a hint', async () => {
  await using fixture = await openFixture(subjectOf('paypal'))
  const { ref, id } = await fixture.open()
  const match = requestOf('paypal', 'accept', ref)
  const reset = () => fixture.control('POST', '/faults', { kind: 'reset', count: 1, match })
  const { command, error, calls } = await accept(fixture, id, reset, once(decidedLost(fixture, ref)))
  expect(command.status).toBe('inProgress')
  expect(error).toContain('see the Resolution Center')
  expect(acceptCalls('paypal', calls, ref)).toHaveLength(1)
  expect(await fixture.effects(ref, 'acceptance')).toEqual([])
})

function once(run: () => Promise<unknown>): () => Promise<unknown> {
  let result: Promise<unknown> | undefined
  return () => {
    result ??= run()
    return result
  }
}
