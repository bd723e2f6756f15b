import { inspect } from 'node:util'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { describe, expect, test } from 'vitest'
import { DEFINITE_KINDS, PSP_ERROR_KINDS, PspError } from '../../../adapters/errors.ts'
import { ExpectedWait, toFailure } from '../../../workflows/activities/failures.ts'
import { guardFailures } from '../../../workflows/worker/guard.ts'

function failureOf(error: unknown): ApplicationFailure {
  const failure = toFailure(error)
  if (failure instanceof ApplicationFailure) return failure
  throw failure
}

describe('a PSP error as a Temporal failure', () => {
  test.each(PSP_ERROR_KINDS)('%s keeps its kind, and is retried unless it is definite', (kind) => {
    const failure = failureOf(new PspError(kind, 'a sentence'))
    expect([failure.type, failure.nonRetryable]).toEqual([kind, DEFINITE_KINDS.some((definite) => definite === kind)])
  })

  test('a rate limit waits as long as the PSP asks, but at most a quarter of an hour', () => {
    const waits = (retryAfterMs?: number) =>
      failureOf(new PspError('rate_limited', 'slower', { retryAfterMs })).nextRetryDelay
    expect([waits(7000), waits(3_600_000), waits()]).toEqual([7000, 900_000, 2000])
  })
})

describe('an error that an adapter should never throw', () => {
  const careless = Object.assign(new TypeError('https://user:sk_live_1@psp.example failed'), {
    cause: new Error('Bearer sk_live_1'),
    config: { headers: { authorization: 'Bearer sk_live_1' } },
  })
  test.each([careless, 'sk_live_1', undefined, { sk_live_1: true }])(
    'is retried as an internal error without its message (%#)',
    (thrown) => {
      const failure = failureOf(thrown)
      expect([failure.type, failure.nonRetryable]).toEqual(['internal', false])
      expect(`${inspect(failure, { depth: 10 })} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('sk_live')
    },
  )
})

describe('an expected wait', () => {
  test('is retried like any unknown outcome, but Temporal does not count it as a failure', () => {
    const failure = failureOf(new ExpectedWait())
    expect([failure.type, failure.nonRetryable]).toEqual(['outcome_unknown', false])
    expect(failure.category).toBe(ApplicationFailureCategory.BENIGN)
    expect(failureOf(new PspError('outcome_unknown', 'a doubt')).category).not.toBe(ApplicationFailureCategory.BENIGN)
  })

  test.each([
    [new ExpectedWait(), 'info', 'activity waits'],
    [new PspError('outcome_unknown', 'a doubt'), 'warn', 'activity failed'],
    [new Error('a defect'), 'warn', 'activity failed'],
  ])('%s is logged as %s', async (error, level, message) => {
    const lines: [string, string][] = []
    const log = {
      info: (_: object, text: string) => void lines.push(['info', text]),
      warn: (_: object, text: string) => void lines.push(['warn', text]),
    }
    const { inbound } = guardFailures(log)({ info: { activityType: 'acceptAtPsp', attempt: 2 } } as never)
    const failing = () => Promise.reject(error)
    await expect(inbound?.execute?.({ args: [], headers: {} }, failing)).rejects.toBeInstanceOf(ApplicationFailure)
    expect(lines).toEqual([[level, message]])
  })
})
