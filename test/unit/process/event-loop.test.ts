import { test } from 'vitest'
import { eventLoopIsBusy } from '../../../process/event-loop.ts'
import { until } from '../../harness/until.ts'
import { keepBusy } from './fixtures/keep-busy.ts'

test('an event loop that always has something to do is busy, one that waits is not', async () => {
  await until('it waits', () => !eventLoopIsBusy())
  const stop = keepBusy()
  try {
    await until('it is busy', eventLoopIsBusy)
  } finally {
    stop()
  }
  await until('it waits again', () => !eventLoopIsBusy())
})
