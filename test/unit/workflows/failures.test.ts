import { inspect } from 'node:util'
import { ApplicationFailure } from '@temporalio/common'
import { describe, expect, test } from 'vitest'
import { DEFINITE_KINDS, PSP_ERROR_KINDS, PspError } from '../../../adapters/errors.ts'
import { toFailure } from '../../../workflows/activities/failures.ts'

function failureOf(error: unknown): ApplicationFailure {
  const failure = toFailure(error)
  if (failure instanceof ApplicationFailure) return failure
  throw failure
}

describe('what a PSP’s error becomes for Temporal', () => {
  test.each(PSP_ERROR_KINDS)('%s keeps its kind, and is retried unless a retry can change nothing', (kind) => {
    const failure = failureOf(new PspError(kind, 'a sentence'))
    expect([failure.type, failure.nonRetryable]).toEqual([kind, DEFINITE_KINDS.some((definite) => definite === kind)])
  })

  test('a rate limit waits as long as the PSP asked, and no longer than a quarter of an hour', () => {
    const waits = (retryAfterMs?: number) =>
      failureOf(new PspError('rate_limited', 'slower', { retryAfterMs })).nextRetryDelay
    expect([waits(7000), waits(3_600_000), waits()]).toEqual([7000, 900_000, 2000])
  })
})

describe('what an adapter should never throw', () => {
  const careless = Object.assign(new TypeError('https://user:sk_live_1@psp.example failed'), {
    cause: new Error('Bearer sk_live_1'),
    config: { headers: { authorization: 'Bearer sk_live_1' } },
  })
  test.each([careless, 'sk_live_1', undefined, { sk_live_1: true }])(
    'is retried as an internal error without its words (%#)',
    (thrown) => {
      const failure = failureOf(thrown)
      expect([failure.type, failure.nonRetryable]).toEqual(['internal', false])
      expect(`${inspect(failure, { depth: 10 })} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('sk_live')
    },
  )
})
