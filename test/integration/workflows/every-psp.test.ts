import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adyenSimulator } from '../../../simulators/adyen/index.ts'
import { braintreeSimulator } from '../../../simulators/braintree/index.ts'
import type { SimulatorDefinition } from '../../../simulators/engine/definition.ts'
import { paypalSimulator } from '../../../simulators/paypal/index.ts'
import { sandboxSimulator } from '../../../simulators/sandbox/index.ts'
import { acceptanceEnd, chargebackOf } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

const PSPS = {
  PAYPAL_API_URL: paypalSimulator,
  BRAINTREE_API_URL: braintreeSimulator,
  ADYEN_API_URL: adyenSimulator,
  SANDBOX_API_URL: sandboxSimulator,
}

/** How the paths of acceptances end. */
const ACCEPT_PATHS: Record<string, string> = {
  paypal: '/accept-claim',
  braintree: '/accept',
  adyen: '/acceptDispute',
  recoup_sandbox: '/accept',
}

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ psps: PSPS, env: { RECOUP_POLL_INTERVAL_SECONDS: '2' } })
})
afterAll(() => stack[Symbol.asyncDispose]())

function controlOf(definition: SimulatorDefinition) {
  const running = stack.others.get(definition.source)
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${running?.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: checked by the test
    return (await response.json()) as any
  }
}

describe.each(Object.values(PSPS))('$source, from connecting to accepting, through real processes', (definition) => {
  const control = (method: string, path: string, body?: unknown) => controlOf(definition)(method, path, body)
  const disputes = (count: number) =>
    control('POST', '/disputes', { count, status: 'needs_response', stage: 'chargeback' })
  const accepted = async (ref: string) => (await control('GET', `/effects?ref=${ref}&kind=acceptance`)).effects.length
  let refs: string[]

  beforeAll(async () => {
    refs = (await disputes(3)).disputes.map((dispute: { ref: string }) => dispute.ref)
    const integrationId = await stack.connectStripe({
      source: definition.source,
      secretType: definition.secretType,
      secretPayload: definition.homeSecretPayload ?? definition.secretPayload,
      externalIdentifier: definition.profile.homeAccount,
    })
    const url = `${stack.apis[0]?.url}/v1/notifications/${integrationId}`
    await control('POST', '/subscriptions', { url, backlog: definition.source === 'adyen' })
  })

  test('its chargebacks arrive and are enriched', async () => {
    for (const ref of refs) {
      const chargeback = await until('it is enriched', () => chargebackOf(stack, ref), {
        holds: (one) => Boolean(one.isEnriched),
      })
      expect(chargeback).toMatchObject({
        psp: definition.source,
        pspStatus: 'needs_response',
        lifecycleStage: 'chargeback',
      })
    }
  })

  test('an acceptance takes effect once and is confirmed', async () => {
    const [ref = ''] = refs
    const { id = '' } = await chargebackOf(stack, ref)
    expect((await stack.call('POST', `/chargebacks/${id}/accept`)).status).toBe(200)
    expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
    expect(await accepted(ref)).toBe(1)
  })

  test('a response that is lost after the effect: read before any retry, one effect, succeeded', async () => {
    const ref = refs[1] as string
    const { id = '' } = await chargebackOf(stack, ref)
    const fault = { kind: 'reset_after_apply', count: 1, match: { path: ACCEPT_PATHS[definition.source] } }
    await control('POST', '/faults', fault)
    await stack.call('POST', `/chargebacks/${id}/accept`)
    expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
    expect(await accepted(ref)).toBe(1)
    const { calls } = await control('GET', '/calls')
    expect(calls.filter((call: { outcome: string }) => call.outcome === 'reset_after_apply')).toHaveLength(1)
  })

  test('the next poll shows a change at the PSP', async () => {
    const ref = refs[2] as string
    await control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })
    await until('it is lost', () => chargebackOf(stack, ref), { holds: ({ pspStatus }) => pspStatus === 'lost' })
  })
})

test('the SDK counts a lost response as a failed activity, but not a wait for Adyen’s notification', async () => {
  const control = controlOf(adyenSimulator)
  const failed = async (): Promise<number> => {
    const text = await (await fetch(`${stack.workers[0]?.url}/metrics`)).text()
    const lines = text.matchAll(
      /^temporal_activity_execution_failed\w*\{[^}]*activity_type="acceptAtPsp"[^}]*\} (\d+)$/gm,
    )
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const waits = () => stack.workers[0]?.lines.filter((line) => line.includes('activity waits')).length ?? 0
  const { disputes } = await control('POST', '/disputes', { count: 1, status: 'needs_response', stage: 'chargeback' })
  const { id = '' } = await chargebackOf(stack, disputes[0].ref)
  const [{ id: subscription, url }] = (await control('GET', '/subscriptions')).subscriptions
  await control('DELETE', `/subscriptions/${subscription}`)
  const before = { failed: await failed(), waits: waits() }
  expect(before.failed).toBeGreaterThan(0)
  await stack.call('POST', `/chargebacks/${id}/accept`)
  await until('two attempts found nothing yet', async () => waits() - before.waits, { holds: (count) => count >= 2 })
  expect(await failed()).toBe(before.failed)
  await control('POST', '/subscriptions', { url, backlog: true })
  expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
  expect(await failed()).toBe(before.failed)
})
