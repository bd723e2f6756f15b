import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quarantine } from '../../../../db/polling/quarantine.ts'
import { operations, resolved } from '../../../interface/document.ts'
import { recipeOf } from '../../../interface/recipes.ts'
import { draft, request, type Send, toApp } from '../../../interface/requests.ts'
import { stubDrafts } from '../../../interface/resources.ts'
import { buildWorld, type Tenant, type World } from '../../../interface/world.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let world: World
let send: Send
let own: Tenant
beforeAll(async () => {
  stage = await createStage()
  stubDrafts(stage.deps)
  send = toApp(stage.app)
  world = await buildWorld(stage.db, stage.ring, send)
  own = world.tenants[0] as Tenant
  await fillIn(own)
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Fills every optional field of the rows, so that real responses are as full as the examples. */
async function fillIn({ ids }: Tenant): Promise<void> {
  await sql`update chargeback set posting_date = '2027-01-31T09:30:00Z', reason_code = '10.4', reason = 'fraudulent',
    card_scheme = 'visa', payment_method = 'card', bin = '424242', card_last_four_digits = '4242', is_enriched = true,
    enrichment_ratio = 0.42, win_probability = 61.5, roi_recommendation = 'Fight' where id = ${ids.chargeback}`.execute(
    stage.db,
  )
  await sql`update ingestion set status = 'applied', processed_at = now()
    where ingestion_id = ${ids.ingestion}`.execute(stage.db)
  await sql`update webhook_endpoint set last_success_at = now() where endpoint_id = ${ids.endpoint}`.execute(stage.db)
  await sql`update chargeback set psp_status = 'won', psp_status_change_date = now()
    where id = ${await world.freshChargeback(own)}`.execute(stage.db)
  // In the first month of the ratio and in the one before.
  for (const months of [11, 12]) {
    const now = new Date()
    const when = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 2)).toISOString()
    await perform('upsertTransaction', { transactionCreatedDate: when })
  }
  const unreadable = { hash: Buffer.alloc(32), reference: 'du_1', reason: 'The amount is missing.', text: '{}' }
  await quarantine(stage.db, stage.ring, ids.integration, [unreadable], [], 1)
  await perform('createAlertOutcome', { refunded: 'refunded' })
  await perform('updateChargeback')
}

const deliverAll = () =>
  sql`update webhook_delivery set state = 'delivered', finished_at = now(), tries =
    jsonb_build_array(jsonb_build_object('at', now(), 'status', 200, 'durationMs', 84))`.execute(stage.db)

async function perform(operationId: string, change: object = {}) {
  const operation = operations.find(({ id }) => id === operationId) ?? operations[0]
  if (!operation) throw new Error('there is no operation')
  const recipe = recipeOf(operation)
  const account = world.holders.find((one) => one.scope === 'account')?.token ?? ''
  if (operationId === 'listWebhookDeliveries') await deliverAll()
  const untouched = operation.method === 'GET' || operationId === 'updateChargeback'
  const ids = untouched ? own.ids : { ...own.ids, chargeback: await world.freshChargeback(own) }
  const valid = draft(recipe, ids)
  const body = valid.body === undefined ? undefined : { ...valid.body, ...change }
  const token = recipe.accountLevel ? account : own.token
  const reply = await send(request(operation, { ...valid, body }, { token }))
  expect(reply.status, reply.text).toBe(recipe.status)
  return reply
}

/** The type of each value; of a list, only of its first element. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]))
}

/** Free-form fields: their content depends on the event. */
const OPEN = new Set(['before', 'after'])

/** Differences of the example from the real response. */
function differences(example: unknown, real: unknown, at: string): string[] {
  if (Array.isArray(example))
    return example.length > 0 ? differences(example[0], (real as unknown[])[0], `${at}.0`) : []
  if (typeof example !== 'object' || example === null) return example === real ? [] : [`${at}: ${example}, not ${real}`]
  const other = (real ?? {}) as Record<string, unknown>
  return Object.entries(example).flatMap(([name, one]) =>
    OPEN.has(name)
      ? []
      : name in other
        ? differences(one, other[name], `${at}.${name}`)
        : [`${at}.${name} is in no real response`],
  )
}

/** Operations without request and response body have no example. */
const guarded = operations.filter(
  (one) => !one.open && (one.body || one.responses[recipeOf(one).status]?.content?.['application/json']),
)
describe.each(guarded)('$name', (operation) => {
  const recipe = recipeOf(operation)
  const content = operation.responses[recipe.status]?.content?.['application/json']

  if (content)
    it('has an example with the shape of a real response', async () => {
      const reply = JSON.parse((await perform(operation.id)).text)
      expect(differences(shape(content.example), shape(reply), 'body')).toEqual([])
      const { status, message } = content.example as { status?: number | string; message?: string }
      if (typeof status === 'number')
        expect({ status, message }).toEqual({ status: reply.status, message: reply.message })
    })

  if (operation.body?.type === 'application/json')
    it('has an example of its body that passes validation', async () => {
      const given =
        operation.body?.example ?? resolved(operation.body?.schema ?? {}).example ?? fromProperties(operation.id)
      const body = { ...(given as object), ...pickIds(operation.id) }
      const valid = draft(recipe, own.ids)
      const token = recipe.accountLevel ? world.growing : own.token
      const reply = await send(request(operation, { ...valid, body }, { token }))
      expect(reply.text).not.toContain('validation_failed')
    })
})

/** An example generated from the properties, like on the reference page. */
function fromProperties(operationId: string): object {
  const operation = operations.find(({ id }) => id === operationId)
  const { properties = {} } = resolved(operation?.body?.schema ?? {})
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      resolved(field).example ?? resolved(field).enum?.[0] ?? 'x',
    ]),
  )
}

const pickIds = (operationId: string) => {
  const recipe = recipeOf(operations.find(({ id }) => id === operationId) as (typeof operations)[number])
  const named = Object.entries(recipe.bodyIds ?? {}).map(([name, kind]) => [name, own.ids[kind]])
  const repeated = (recipe.repeatsPath ?? []).map((name) => [name, own.ids.integration])
  return Object.fromEntries([...named, ...repeated])
}
