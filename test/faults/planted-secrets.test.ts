import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open, sealContext } from '../../db/core/seal.ts'
import { stripeSimulator } from '../../simulators/stripe/index.ts'
import { acceptanceEnd, allChargebacks, chargebackOf, createDispute, pollNow } from '../harness/rows.ts'
import { type Stack, startStack, stripeIntegration } from '../harness/stack.ts'
import { allHistories, allRows } from '../harness/traces.ts'
import { until } from '../harness/until.ts'
import { type Receiver, receive } from '../integration/webhooks/receivers.ts'

let stack: Stack
/** Texts that must appear nowhere: name → text. */
const planted = new Map<string, string>()
/** All responses to clients and operators. */
const responses: string[] = []
/** Gets every event. */
let receiver: Receiver

beforeAll(async () => {
  stack = await startStack()
  const webhookSecret = 'whsec_canary0123456789abcdef'
  planted.set('the API key', stripeSimulator.secretPayload.apiKey as string)
  planted.set('the refused API key', stripeSimulator.refusedSecretPayload.apiKey as string)
  planted.set('an extra key of the secret payload', 'extra-canary-5f1c')
  planted.set('the webhook secret', webhookSecret)
  planted.set('the bearer token', stack.token)
  planted.set('the merchant’s e-mail', 'owner@shop.example.com')
  planted.set('the merchant’s last name', 'Olive')

  receiver = await receive()
  const hooks = { url: `${receiver.url}/path-canary-77c1`, events: ['*'], signature: 'ed25519' }
  const endpoint = await stack.call('POST', '/webhook-endpoints', hooks)
  planted.set('the secret of the webhook endpoint', endpoint.body.secret.slice('whsec_'.length))
  await until('its private key is stored', async () => {
    const row = await stack.db.selectFrom('webhook_endpoint').selectAll().executeTakeFirstOrThrow()
    const context = sealContext.webhookEndpoint(row.endpoint_id, row.account_id)
    const key = open(stack.ring, row.keys_sealed ?? '', context)
      .split(' ')
      .find((one) => one.startsWith('whsk_'))
    if (key) planted.set('the private key of the webhook endpoint', key.slice('whsk_'.length))
    return key
  })

  await stack.control('POST', '/disputes', { count: 40 })
  const integrationId = await stack.connectStripe({
    secretPayload: { ...stripeSimulator.secretPayload, webhookSecret, note: 'extra-canary-5f1c' },
  })
  await until('all are enriched', () => allChargebacks(stack), {
    holds: (all) => all.length === 40 && all.every((one) => one.isEnriched),
    timeoutMs: 60_000,
  })
  await plantPeople()
  await causeErrors(integrationId)
}, 180_000)
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

/** Personal data of the simulated charges. */
async function plantPeople(): Promise<void> {
  const headers = {
    authorization: `Bearer ${stripeSimulator.secretPayload.apiKey}`,
    'stripe-version': '2026-10-28.endive',
  }
  const listed = await fetch(`${stack.simulator.url}/v1/charges?limit=40`, { headers })
  const { data } = (await listed.json()) as {
    data: { id: string; billing_details: Record<string, unknown> & { address?: { line1?: unknown } } }[]
  }
  let people = 0
  for (const charge of data) {
    const { email, name, phone, address } = charge.billing_details
    for (const [what, value] of Object.entries({ email, name, phone, street: address?.line1 }))
      if (typeof value === 'string' && value.length > 5) {
        planted.set(`${what} of ${charge.id}`, value)
        people++
      }
  }
  expect(people).toBeGreaterThan(40)
}

/** Every kind of error that could quote a PSP, a client or a library. */
async function causeErrors(integrationId: string): Promise<void> {
  const note = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    responses.push(JSON.stringify((await stack.call(method, path, body, headers)).body))
  await note('POST', '/integrations', {
    ...stripeIntegration(),
    externalIdentifier: 'acct_refused',
    secretPayload: stripeSimulator.refusedSecretPayload,
  })
  await note('POST', '/integrations', {
    ...stripeIntegration(),
    secretPayload: { apiKey: `${stripeSimulator.secretPayload.apiKey} x` },
  })
  await note('POST', '/integrations', { ...stripeIntegration(), unknownKey: stripeSimulator.secretPayload.apiKey })
  await note('GET', '/integrations')
  await note('GET', '/chargebacks', undefined, { authorization: `Bearer ${stack.token.slice(0, -4)}AAAA` })
  await stack.control('POST', '/disputes', { malformed: 'amount_text' })
  const ref = await createDispute(stack, { stage: 'chargeback' })
  await pollNow(stack, integrationId)
  const { id } = await chargebackOf(stack, ref)
  for (const kind of ['500', 'reset', '502_html', 'malformed', 'timeout_after_apply'])
    await stack.control('POST', '/faults', { kind, count: 1, match: { path: `/v1/disputes/${ref}` }, delayMs: 200 })
  await note('POST', `/chargebacks/${id}/accept`)
  await acceptanceEnd(stack, id as string, 60_000)
  await note('GET', `/chargebacks/${id}`)
  await until('the refused one is FAILED', async () =>
    (await stack.call('GET', '/integrations')).body.some((one: { status: string }) => one.status === 'FAILED'),
  )
  for (const url of stack.apis.map((api) => `${api.operatorsUrl}/metrics`))
    responses.push(await (await fetch(url)).text())
}

function expectNone(where: string, text: string): void {
  const found = [...planted].filter(([, value]) => text.includes(value)).map(([what]) => what)
  expect(found, `in ${where}`).toEqual([])
}

describe('planted secrets and personal data', () => {
  test('are in the sealed objects, where this search finds them', async () => {
    const rows = await stack.db.selectFrom('raw_object').select(['integration_id', 'sealed']).execute()
    const opened = rows.map((row) => open(stack.ring, row.sealed, sealContext.rawObject(row.integration_id))).join('\n')
    const found = [...planted].filter(([what, value]) => what.startsWith('email') && opened.includes(value))
    expect(found.length).toBeGreaterThan(10)
    expect(() => expectNone('the opened objects', opened)).toThrow(/in the opened objects/)
  })

  test('are in no workflow history, description or failure', async () => {
    const histories = await allHistories(stack)
    expect(histories.length).toBeGreaterThan(3)
    for (const { workflowId, text } of histories) expectNone(workflowId, text)
  })

  test('are in no table in plain text', async () => {
    const tables = await allRows(stack)
    expect(tables.find(({ table }) => table === 'raw_object')?.text).toContain('v1.')
    for (const { table, text } of tables) expectNone(table, text)
  })

  test('are in no log line', () => {
    expect(stack.lines().length).toBeGreaterThan(10)
    expectNone('the logs', stack.lines().join('\n'))
  })

  test('are in no webhook', async () => {
    await expect
      .poll(() => receiver.captured.map(({ body }) => JSON.parse(body).type))
      .toContain('acceptance.succeeded')
    for (const { headers, body } of receiver.captured) expectNone('a webhook', `${JSON.stringify(headers)} ${body}`)
  })

  test('are in no response, error or metric', () => {
    expect(responses.length).toBeGreaterThan(5)
    expectNone('the responses', responses.join('\n'))
  })
})
