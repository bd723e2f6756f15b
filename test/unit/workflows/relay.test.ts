import { ServiceError } from '@temporalio/client'
import { expect, test } from 'vitest'
import { startRelay } from '../../../workflows/worker/outbox.ts'
import { until } from '../../harness/until.ts'

/** A relay whose server responds with `refusal` when a schedule is created. @returns how often it read messages */
async function readsAfter(refusal: Error) {
  let tries = 0
  let reads = 0
  const refuse = () => {
    tries++
    return Promise.reject(refusal)
  }
  const relay = startRelay({
    databaseUrl: 'postgres://127.0.0.1:1/none',
    // Reading messages calls this first.
    db: {
      getExecutor() {
        reads++
        throw new Error('no database')
      },
    } as never,
    temporal: { connection: { withDeadline: refuse } } as never,
    polling: {} as never,
    log: { warn() {} },
  })
  await until('it has tried', () => tries > 0)
  await relay[Symbol.asyncDispose]()
  return reads
}

const serviceError = (code: number) =>
  new ServiceError('refused', { cause: Object.assign(new Error('refused'), { code, details: '', metadata: {} }) })

test('a server that refuses the reconciler’s schedule still gets the commands', async () => {
  expect(await readsAfter(serviceError(3))).toBeGreaterThan(0)
})

test('an unavailable server gets no commands, because each attempt would make them wait longer', async () => {
  expect(await readsAfter(serviceError(14))).toBe(0)
})
