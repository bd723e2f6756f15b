import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import { pollScheduleId, verificationWorkflowId } from '../../../workflows/contract.ts'
import { expressions, metricsIn, metricsOf } from '../../harness/deploy/monitoring.ts'
import { pollNow } from '../../harness/rows.ts'
import { type Stack, startStack, stripeIntegration } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const create = async (change: Record<string, unknown>) => {
  const { status, body } = await stack.call('POST', '/integrations', { ...stripeIntegration(), ...change })
  expect(status).toBe(201)
  return body.integrationId as string
}
const statusOf = async (id: string) => (await stack.call('GET', `/integrations/${id}`)).body.status
const rowOf = (id: string) =>
  stack.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const gauge = async (name: string) => {
  const text = await (await fetch(`${stack.workers[0]?.url}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}
const integrationsIn = (status: string) => gauge(`integrations{psp="stripe",status="${status}"}`)
const calls = async () => (await stack.control('GET', '/calls')).body.total as number

describe('verification of an integration', () => {
  test('a valid key: SUCCESSFUL, with a schedule that polls', async () => {
    const id = await stack.connectStripe()
    await until('its schedule exists', () =>
      stack.temporal.schedule
        .getHandle(pollScheduleId(id))
        .describe()
        .then(
          () => true,
          () => false,
        ),
    )
    expect((await rowOf(id)).psp_account).toBe(stripeSimulator.profile.homeAccount)
  })

  test('a revoked key: FAILED in gauges and GET, with the reason; accepted again, it is SUCCESSFUL', async () => {
    const [{ integrationId: id }] = (await stack.call('GET', '/integrations')).body
    const read = async () => (await stack.call('GET', `/integrations/${id}`)).body
    expect([await integrationsIn('SUCCESSFUL'), await integrationsIn('FAILED')]).toEqual([1, 0])
    expect(await read()).not.toHaveProperty('problem')
    await stack.control('POST', '/faults', { kind: '401', count: 1000 })
    let failed = await read()
    // Three refusals in a row, of which a running poll may be the first.
    for (let polls = 0; failed.status === 'SUCCESSFUL' && polls < 3; polls++) {
      await pollNow(stack, id)
      failed = await read()
    }
    expect(failed.status).toBe('FAILED')
    expect(failed.statusReason).toMatch(/refused the API key.*Connect a valid key/)
    expect(failed.problem).toBe(failed.statusReason)
    expect(Date.parse(failed.statusChangedAt)).toBeGreaterThanOrEqual(Date.parse(failed.lastPolledAt))
    expect([await integrationsIn('SUCCESSFUL'), await integrationsIn('FAILED')]).toEqual([0, 1])
    // As if the last successful poll was two hours ago.
    const last_successful_poll_at = new Date(Date.now() - 7_200_000)
    await stack.db.updateTable('integration').set({ last_successful_poll_at }).execute()
    expect(await gauge('poll_freshness_seconds')).toBeGreaterThanOrEqual(7_190)
    await stack.control('DELETE', '/faults')
    const recovered = await until('it is SUCCESSFUL', read, { holds: ({ status }) => status === 'SUCCESSFUL' })
    expect(recovered).not.toHaveProperty('statusReason')
    expect(recovered).not.toHaveProperty('problem')
    expect([await integrationsIn('SUCCESSFUL'), await integrationsIn('FAILED')]).toEqual([1, 0])
  })

  test('an invalid key: FAILED with a reason that says what to do, and no retry storm', async () => {
    const before = await calls()
    const id = await create({
      externalIdentifier: 'acct_wrongkey',
      secretPayload: stripeSimulator.refusedSecretPayload,
    })
    await until('it is FAILED', () => statusOf(id), { holds: (status) => status === 'FAILED' })
    expect((await rowOf(id)).status_reason).toMatch(/refused the API key.*Connect a valid key/)
    // Checks go on with growing pauses (1 s, 2 s, 4 s here): a handful of calls, not hundreds.
    await until('it was checked a second time', async () => (await calls()) - before >= 4)
    expect((await calls()) - before).toBeLessThan(20)
  })

  test('a key without the permission: FAILED, naming the permission', async () => {
    const id = await create({
      externalIdentifier: 'acct_restricted',
      secretPayload: stripeSimulator.restrictedSecretPayload,
    })
    await until('it is FAILED', () => statusOf(id), { holds: (status) => status === 'FAILED' })
    expect((await rowOf(id)).status_reason).toMatch(/Disputes/)
  })

  test('a key of another account: FAILED, naming both accounts', async () => {
    const id = await create({ externalIdentifier: 'acct_doesnotexist1' })
    await until('it is FAILED', () => statusOf(id), { holds: (status) => status === 'FAILED' })
    const { status_reason: reason, psp_account: confirmed } = await rowOf(id)
    expect(reason).toMatch(/belongs to account acct_recoupdemo.*acct_doesnotexist1/)
    expect(confirmed).toBeNull()
  })

  test('a refused credential that the PSP accepts later: SUCCESSFUL again without an operator', async () => {
    await stack.control('POST', '/faults', { kind: '401', count: 20, match: { path: '/v1/disputes' } })
    await stack.control('POST', '/accounts', { account: 'acct_mended' })
    const id = await create({ externalIdentifier: 'acct_mended' })
    await until('it is FAILED', () => statusOf(id), { holds: (status) => status === 'FAILED' })
    await stack.control('DELETE', '/faults')
    await until('it is SUCCESSFUL', () => statusOf(id), { holds: (status) => status === 'SUCCESSFUL' })
  })

  test('an unreachable PSP: stays PENDING, is retried, and the operator sees why', async () => {
    await stack.control('POST', '/accounts', { account: 'acct_unreachable' })
    await stack.control('POST', '/faults', { kind: 'reset', count: 1000 })
    const id = await create({ externalIdentifier: 'acct_unreachable' })
    await until('a reason is visible', async () => (await rowOf(id)).status_reason, {
      holds: (reason) => /reached/.test(reason ?? ''),
    })
    const description = await until(
      'the attempt is visible in Temporal',
      () => stack.temporal.workflow.getHandle(verificationWorkflowId(id)).describe(),
      { holds: (found) => (found.raw.pendingActivities?.[0]?.attempt ?? 0) >= 2 },
    )
    expect(description.status.name).toBe('RUNNING')
    expect(await statusOf(id)).toBe('PENDING')
    await stack.control('DELETE', '/faults')
    await until('it is SUCCESSFUL', () => statusOf(id), { holds: (status) => status === 'SUCCESSFUL' })
  })
})

test('a worker’s /metrics has what alerts and dashboards read of Temporal’s SDK', async () => {
  const text = await (await fetch(`${stack.workers[0]?.url}/metrics`)).text()
  const read = new Set(expressions().flatMap(({ expr }) => metricsIn(expr)))
  const ofTheSdk = [...read].filter((name) => name.startsWith('temporal_'))
  expect(ofTheSdk.length).toBeGreaterThan(2)
  expect(ofTheSdk.filter((name) => !metricsOf(text).has(name))).toEqual([])
})
