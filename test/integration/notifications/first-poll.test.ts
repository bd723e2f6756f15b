import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pollScheduleId } from '../../../workflows/contract.ts'
import { byOwner } from '../../harness/database.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { listeningIntegration } from './stripe-hooks.ts'

let stack: Stack
beforeAll(async () => {
  // The retry of a poll that timed out would read the dispute, too.
  stack = await startStack({ env: { RECOUP_HEARTBEAT_MS: '60000' } })
})
afterAll(() => stack[Symbol.asyncDispose]())

test('a dispute that is notified about during the first poll of a schedule is read right after it', async () => {
  const hook = await listeningIntegration(stack)
  await until('it is polled', hook.row, { holds: (row) => row.polled_at !== null })
  const schedule = stack.temporal.schedule.getHandle(pollScheduleId(hook.integrationId))
  // Workflow ids of scheduled runs have whole seconds: a second run in the same second would be dropped.
  const polled = Math.floor(Date.now() / 1000)
  await until('the next second', () => Math.floor(Date.now() / 1000) > polled)
  // Before the deletion, because the reconciliation, which runs every 15 seconds, may create the schedule first.
  const { body: hold } = await stack.control('POST', '/holds', { match: { path: '/v1/disputes' } })
  await schedule.delete()
  const payload = { integrationId: hook.integrationId }
  await stack.db.insertInto('outbox').values({ kind: 'sync_schedule', payload }).execute()
  const holds = async () => (await stack.control('GET', '/holds')).body.holds as { held: unknown[] }[]
  await until('the first poll requests the list', holds, { holds: ([one]) => (one?.held.length ?? 0) > 0 })
  expect(await hook.deliver({ ref: await hook.create() })).toEqual([200])
  const waiting = () => stack.db.selectFrom('outbox').select('kind').execute()
  await until('another poll is requested', waiting, { holds: (rows) => rows.length === 0 })
  await stack.control('DELETE', `/holds/${hold.id}`)
  await until('it is read', hook.rereads, { holds: (rows) => rows.length === 0, timeoutMs: 20_000 })
})

test('a database fault during a signature check returns 5xx, so that the PSP repeats the notification', async () => {
  const hook = await listeningIntegration(stack)
  const ref = await hook.create()
  await byOwner(stack.databaseUrl, sql`alter table kept_verification rename to elsewhere`)
  expect(await hook.deliver({ ref, mutate: 'forged' })).toEqual([500])
  await byOwner(stack.databaseUrl, sql`alter table elsewhere rename to kept_verification`)
  expect(await hook.deliver({ ref, mutate: 'forged' })).toEqual([401])
})
