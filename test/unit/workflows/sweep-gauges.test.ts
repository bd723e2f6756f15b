import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { sweepGauges } from '../../../workflows/worker/sweep-gauges.ts'

test('finding 5: each kind of expiring row has three metrics, and one read serves all of them', async () => {
  const registry = new Registry()
  let reads = 0
  let read = async () => [
    { kind: 'file', deleted: 3, oldestSeconds: 86_400, passedSeconds: 12 },
    { kind: 'quarantine', deleted: 0, oldestSeconds: null, passedSeconds: null },
  ]
  sweepGauges(registry, () => {
    reads++
    return read()
  })
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('retention_'))
  expect(await lines()).toEqual([
    'retention_deleted_rows{kind="file"} 3',
    'retention_deleted_rows{kind="quarantine"} 0',
    'retention_oldest_seconds{kind="file"} 86400',
    'retention_oldest_seconds{kind="quarantine"} 0',
    // Before the first complete pass there is no value: an alert on its age must not see 0.
    'retention_pass_seconds{kind="file"} 12',
  ])
  expect(reads).toBe(1)
  read = () => Promise.reject(new Error('the database is unavailable'))
  expect(await lines()).toEqual([])
})
