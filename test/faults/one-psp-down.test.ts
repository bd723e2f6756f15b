import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatedIntegrations } from '../../db/integrations/integration-operations.ts'
import { paypalSimulator } from '../../simulators/paypal/index.ts'
import { chargebackOf, createDispute } from '../harness/rows.ts'
import { type Stack, startStack } from '../harness/stack.ts'
import { until } from '../harness/until.ts'

let stack: Stack
let stripe: string
let paypal: string
beforeAll(async () => {
  stack = await startStack({ psps: { PAYPAL_API_URL: paypalSimulator }, env: { RECOUP_POLL_INTERVAL_SECONDS: '1' } })
  stripe = await stack.connectStripe()
  paypal = await stack.connectStripe({
    source: 'paypal',
    secretType: paypalSimulator.secretType,
    secretPayload: paypalSimulator.homeSecretPayload ?? paypalSimulator.secretPayload,
    externalIdentifier: paypalSimulator.profile.homeAccount,
  })
})
afterAll(() => stack[Symbol.asyncDispose]())

const control = (method: string, path: string, body?: unknown) =>
  fetch(`${stack.others.get('paypal')?.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const freshness = async (integrationId: string) => {
  const [found] = await operatedIntegrations(stack.db, { integrationId })
  return { at: found?.lastSuccessfulPollAt?.getTime() ?? 0, error: found?.pollError ?? null, status: found?.status }
}

describe('one PSP down', () => {
  test('the others are polled, each integration shows its last successful poll, the one that was down catches up', async () => {
    await until('both were polled', async () => (await freshness(stripe)).at > 0 && (await freshness(paypal)).at > 0)
    await control('POST', '/faults', { kind: '502_html', count: 1_000_000 })
    await until('PayPal’s error shows', () => freshness(paypal), { holds: ({ error }) => error !== null })
    const stale = await freshness(paypal)
    const response = await control('POST', '/disputes', { count: 1, status: 'needs_response', stage: 'chargeback' })
    const missed = ((await response.json()) as { disputes: { ref: string }[] }).disputes[0]?.ref ?? ''

    // Stripe goes on meanwhile: several polls, and a new dispute.
    const before = (await freshness(stripe)).at
    const ref = await createDispute(stack)
    await chargebackOf(stack, ref)
    await until('Stripe was polled again', async () => (await freshness(stripe)).at > before)
    expect(await freshness(paypal)).toMatchObject({ at: stale.at, status: 'SUCCESSFUL' })
    expect((await freshness(paypal)).error).toMatch(/PayPal/)

    await control('DELETE', '/faults')
    expect(await chargebackOf(stack, missed)).toMatchObject({ psp: 'paypal' })
    await until('it is fresh again', () => freshness(paypal), {
      holds: ({ at, error }) => at > stale.at && error === null,
    })
  }, 120_000)
})
