import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as profiles from '../../../workflows/definitions/activity-profiles.ts'

const folder = join(import.meta.dirname, '../../../workflows/definitions')
const definitions = readdirSync(folder)
  .filter((name) => name !== 'activity-profiles.ts')
  .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
const calls = definitions.flatMap(([name, text]) =>
  [...text.matchAll(/proxyActivities\s*<[\s\S]*?>\s*\(\s*([\w.]+)/g)].map(([, argument]) => ({ name, argument })),
)

describe('activity profiles', () => {
  test('every proxyActivities uses one of them, and each is used', () => {
    const proxies = definitions.reduce((sum, [, text]) => sum + text.split('proxyActivities').length - 1, 0)
    expect(calls).toHaveLength(proxies)
    expect(new Set(calls.map(({ argument }) => argument))).toEqual(
      new Set(Object.keys(profiles).map((name) => `profiles.${name}`)),
    )
  })

  test.each(definitions)('%s does not set its own time-out, retry policy, queue or priority', (_, text) => {
    expect(text).not.toMatch(/\w+Timeout:|\bretry:|\btaskQueue:|\bpriority:/)
  })

  test('long reads use a queue apart from that of polls', () => {
    const pace = { commandMs: 1, heartbeatMs: 1, recheckMs: 1, retryMs: 1 }
    const input = { integrationId: 'i', pace }
    const { poll, backfill, drift, shard } = profiles
    const queues = [poll(input, ''), backfill(input, ''), drift(input, ''), shard(pace, '')].map((one) => one.taskQueue)
    expect(queues).toEqual(['polling', 'backfills', 'backfills', 'polling'])
  })

  test('acceptances and submissions share one retry policy', () => {
    const commands = calls.filter(({ argument }) => argument === 'profiles.command')
    expect(commands.map(({ name }) => name)).toEqual(['accept-chargeback.ts', 'submit-evidence.ts'])
  })
})
