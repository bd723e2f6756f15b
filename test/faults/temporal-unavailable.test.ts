import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTemporalServer, wipeDatabase } from '../../local/temporal/server.ts'
import { quietPorts } from '../../process/ports.ts'
import { pollScheduleId, RECONCILE_SCHEDULE_ID } from '../../workflows/contract.ts'
import { acceptanceEnd, chargebackOf, createDispute, pollNow } from '../harness/rows.ts'
import { latestRunOf } from '../harness/runs.ts'
import { testServers } from '../harness/servers.ts'
import { type Stack, startStack } from '../harness/stack.ts'
import { until } from '../harness/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'recoup-temporal-'))
let server: Awaited<ReturnType<typeof startTemporalServer>>
let stack: Stack
let integrationId: string

let options: Parameters<typeof startTemporalServer>[0]
beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  options = {
    cli: { path: testServers().temporalCli, origin: 'test', version: 'test' },
    port,
    uiPort: null,
    folder,
    logFile: join(folder, 'log'),
    exactTimers: true,
    namespaces: ['default'],
  }
  server = await startTemporalServer(options)
  stack = await startStack({ temporal: { address: server.address, namespace: 'default' } })
  integrationId = await stack.connectStripe()
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<{ ref: string; id: string }> {
  const ref = await createDispute(stack, { stage: 'chargeback' })
  await pollNow(stack, integrationId)
  return { ref, id: (await chargebackOf(stack, ref)).id as string }
}
const effects = async (ref: string) => (await stack.control('GET', `/effects?ref=${ref}&kind=acceptance`)).body.effects
const scheduleExists = (id: string) =>
  stack.temporal.schedule
    .getHandle(id)
    .describe()
    .then(
      () => true,
      () => false,
    )

describe('Temporal unavailable', () => {
  test('down during POST accept: responds 200 without waiting for it, shows created, runs when Temporal is back', async () => {
    const { ref, id } = await open()
    await server.stop()
    const requestedAt = Date.now()
    const response = await stack.call('POST', `/chargebacks/${id}/accept`)
    expect(response.status).toBe(200)
    expect(Date.now() - requestedAt).toBeLessThan(12_000)
    expect((await stack.call('GET', `/chargebacks/${id}/accept`)).body.status).toBe('created')
    server = await startTemporalServer(options)
    expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
    expect(await effects(ref)).toHaveLength(1)
  }, 120_000)

  test('database wiped: schedules and open commands are restored within a minute, one effect', async () => {
    const { ref, id } = await open()
    // The PSP can't be reached, so the acceptance is in progress when Temporal forgets it.
    await stack.control('POST', '/faults', { kind: 'reset', count: 100_000, match: { path: `/v1/disputes/${ref}` } })
    await stack.call('POST', `/chargebacks/${id}/accept`)
    await until('it is in progress', async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status, {
      holds: (status) => status === 'inProgress',
    })
    await server.stop()
    wipeDatabase(folder)
    server = await startTemporalServer(options)
    const wiped = Date.now()
    await until('the reconciler has its schedule', () => scheduleExists(RECONCILE_SCHEDULE_ID), { timeoutMs: 60_000 })
    await until('the poll has its schedule', () => scheduleExists(pollScheduleId(integrationId)), { timeoutMs: 60_000 })
    await until(
      'the command has its run',
      async () =>
        stack.temporal.workflow
          .getHandle(await latestRunOf(stack.db, id))
          .describe()
          .then(
            (run) => run.status.name,
            () => '',
          ),
      { holds: (name) => name === 'RUNNING', timeoutMs: 60_000 },
    )
    expect(Date.now() - wiped).toBeLessThan(60_000)
    await stack.control('DELETE', '/faults')
    expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
    expect(await effects(ref)).toHaveLength(1)
  }, 180_000)
})
