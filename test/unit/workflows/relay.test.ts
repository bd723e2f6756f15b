import { ServiceError } from '@temporalio/client'
import { expect, test } from 'vitest'
import { startRelay } from '../../../workflows/worker/outbox.ts'
import { until } from '../../harness/until.ts'

/** A relay whose server answers the making of the schedule with `refusal`. @returns how often it looked for messages */
async function relayMeeting(refusal: Error) {
  let tries = 0
  let looks = 0
  const refuse = () => {
    tries++
    return Promise.reject(refusal)
  }
  const relay = startRelay({
    databaseUrl: 'postgres://127.0.0.1:1/none',
    // The first thing that taking messages asks for.
    db: {
      getExecutor() {
        looks++
        throw new Error('no database')
      },
    } as never,
    temporal: { connection: { withDeadline: refuse } } as never,
    polling: {} as never,
    log: { warn() {} },
  })
  await until('it has tried', () => tries > 0)
  await relay[Symbol.asyncDispose]()
  return looks
}

const answered = (code: number) =>
  new ServiceError('refused', { cause: Object.assign(new Error('refused'), { code, details: '', metadata: {} }) })

test('a server that refuses the reconciler’s schedule gets the commands all the same', async () => {
  expect(await relayMeeting(answered(3))).toBeGreaterThan(0)
})

test('a server that is away gets none: each try would make them wait longer', async () => {
  expect(await relayMeeting(answered(14))).toBe(0)
})
