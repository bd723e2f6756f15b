import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { open, sealContext } from '../../../db/core/seal.ts'
import { answer, type Receiver, receive } from './receivers.ts'
import { openWebhooks, type WebhookStage } from './webhook-stage.ts'

let webhooks: WebhookStage
let receiver: Receiver
beforeEach(async () => {
  webhooks = await openWebhooks()
  receiver = await receive()
})
afterEach(async () => {
  await receiver[Symbol.asyncDispose]()
  await webhooks[Symbol.asyncDispose]()
})

const call = (method: string, path: string, body?: unknown, more: object = {}) =>
  webhooks.stage.call(method, `/v1/webhook-endpoints${path}`, { ...(body !== undefined && { body }), ...more })
const stored = async () =>
  (
    await sql<{ text: string }>`select string_agg(w::text, ' ') as text from webhook_endpoint w`.execute(
      webhooks.stage.db,
    )
  ).rows[0]?.text
const trail = async (id: string) =>
  (
    await sql<{ what: string }>`
      select what, actor, details from webhook_endpoint_event where endpoint_id = ${id} order by position`.execute(
      webhooks.stage.db,
    )
  ).rows

describe('an endpoint', () => {
  test('shows its secret once, and stores it sealed for its place only', async () => {
    const { id, secret } = await webhooks.create(receiver.url, { description: 'Orders' })
    expect(secret).toMatch(/^whsec_/)
    expect(await webhooks.read(id)).toEqual({
      ...{ id, url: receiver.url, events: ['*'], description: 'Orders', payload: 'full', signature: 'hmac' },
      ...{ state: 'enabled', pending: 0, createdAt: expect.any(String) },
    })
    const listed = await call('GET', '')
    expect(listed.body.data).toEqual([await webhooks.read(id)])
    expect(listed.text).not.toContain('whsec')
    expect(await stored()).not.toContain(secret.slice(6))
    const { accountId, db, ring } = webhooks.stage
    const { rows } = await sql<{ sealed: string }>`select keys_sealed as sealed from webhook_endpoint`.execute(db)
    const sealed = rows[0]?.sealed ?? ''
    expect(open(ring, sealed, sealContext.webhookEndpoint(id, accountId))).toBe(secret)
    expect(() => open(ring, sealed, sealContext.webhookEndpoint(accountId, accountId))).toThrow()
    expect(await trail(id)).toEqual([
      {
        what: 'created',
        actor: webhooks.stage.credentialId,
        details: { host: new URL(receiver.url).host, events: ['*'] },
      },
    ])
  })

  test('is created once for an Idempotency-Key', async () => {
    const create = () =>
      call('POST', '', { url: receiver.url, events: ['*'] }, { headers: { 'idempotency-key': 'k-1' } })
    const [first, second] = [await create(), await create()]
    expect(second.body).toEqual(first.body)
    expect((await call('GET', '')).body.data).toHaveLength(1)
  })

  test.each([
    ['http://10.0.0.1/hooks', 'url: The host must have public addresses only'],
    ['http://169.254.169.254/latest', 'url: The host must have public addresses only'],
    ['https://[::1]/', 'url: The host must have public addresses only'],
    ['https://nowhere.invalid/', 'url: The host must have public addresses only'],
    ['ftp://shop.example/', 'url: Must be an https address; http is possible in the sandbox'],
    ['https://me:word@shop.example/', 'url: Must not contain a user or a password'],
    ['https://shop.example:22/', 'url: Port 22 is not possible: leave it out, or use one from 1024 on'],
  ])('at %s is refused, and nothing is stored', async (url, message) => {
    expect(await call('POST', '', { url, events: ['*'] })).toMatchObject({ status: 400, body: { message } })
    expect((await call('GET', '')).body.data).toEqual([])
  })

  test.each([
    [{ events: [] }, 'events'],
    [{ events: ['chargeback.*', 'chargeback.stolen'] }, 'events.1'],
    [{ events: Array(51).fill('*') }, 'events'],
    [{ payload: 'fat' }, 'payload'],
    [{ signature: 'rsa' }, 'signature'],
    [{ secret: 'mine' }, 'secret: Unknown field'],
    [{ description: 'a'.repeat(501) }, 'description'],
  ])('with %j is refused by name', async (wrong, named) => {
    const refused = await call('POST', '', { url: receiver.url, events: ['*'], ...wrong })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
  })

  test('is one of at most sixteen of a merchant, also when several requests come at once', async () => {
    const create = () => call('POST', '', { url: receiver.url, events: ['*'] })
    const made = await Promise.all(Array.from({ length: 20 }, create))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(16)
    expect(made.find(({ status }) => status === 400)?.body).toMatchObject({ code: 'too_many_endpoints' })
    await call('DELETE', `/${made.find(({ status }) => status === 201)?.body.id}`)
    expect((await create()).status).toBe(201)
  })

  test('of all merchants belongs to the account, and no merchant sees it', async () => {
    const { accountId, newMerchant, issue } = webhooks.stage
    await newMerchant(accountId)
    const account = { token: (await issue({ accountId, scope: 'account' })).token }
    const { id } = await webhooks.create(receiver.url, {}, account)
    expect((await call('GET', `/${id}`, undefined, account)).body.data).toMatchObject({ id })
    expect((await call('GET', `/${id}`)).body).toMatchObject({ status: 404, code: 'webhook_endpoint_not_found' })
    expect((await call('GET', '')).body.data).toEqual([])
    const other = await webhooks.create(receiver.url)
    expect((await call('GET', `/${other.id}`, undefined, account)).status).toBe(404)
  })

  test('that is deleted sends nothing more, and its words and keys are erased', async () => {
    const { id, secret } = await webhooks.create(receiver.url, { description: 'Orders' })
    await webhooks.events(3)
    expect((await call('DELETE', `/${id}`)).status).toBe(200)
    expect((await call('GET', `/${id}`)).status).toBe(404)
    await webhooks.events(1)
    expect(await webhooks.turn()).toBeNull()
    expect(receiver.captured).toEqual([])
    expect(await stored()).not.toMatch(/Orders|127\.0\.0\.1/)
    const { rows } = await sql`select distinct state from webhook_delivery`.execute(webhooks.stage.db)
    expect(rows).toEqual([{ state: 'cancelled' }])
    expect(secret).toBeDefined()
  })
})

describe('a change', () => {
  test('of the address is in the trail by its host, and takes effect for what waits', async () => {
    await using dead = await receive(answer(500))
    const { id } = await webhooks.create(`${dead.url}?token=path-secret`)
    await webhooks.events(1)
    await webhooks.turn()
    const changed = await call('PATCH', `/${id}`, { url: receiver.url, events: ['chargeback.*'], payload: 'thin' })
    expect(changed.body.data).toMatchObject({ url: receiver.url, payload: 'thin', state: 'enabled' })
    await webhooks.hurry()
    await webhooks.turn()
    expect(receiver.captured).toHaveLength(1)
    const [, change] = await trail(id)
    expect(change).toMatchObject({ what: 'changed', details: { host: { after: new URL(receiver.url).host } } })
    expect(JSON.stringify(await trail(id))).not.toContain('path-secret')
  })

  test('that disables it cancels what waits; enabling it sends none of that, a replay does', async () => {
    const { id } = await webhooks.create(receiver.url)
    const ids = await webhooks.events(2)
    expect((await call('PATCH', `/${id}`, { enabled: false })).body.data).toMatchObject({
      ...{ state: 'disabled', disabledReason: 'requested', pending: 0 },
    })
    await webhooks.events(1)
    expect((await call('POST', `/${id}/replay`, { failedSince: '2026-01-01T00:00:00Z' })).body).toMatchObject({
      code: 'webhook_endpoint_disabled',
    })
    await call('PATCH', `/${id}`, { enabled: true })
    expect(await webhooks.turn()).toBeNull()
    const replayed = await call('POST', `/${id}/replay`, { failedSince: '2026-01-01T00:00:00Z' })
    expect(replayed).toMatchObject({ status: 202, body: { count: 2 } })
    await webhooks.turn()
    const sent = receiver.captured.map(({ headers }) => headers['webhook-id'])
    expect(sent.toSorted()).toEqual(ids.map((one) => `evt_${one.replaceAll('-', '')}`).toSorted())
  })

  test('of nothing is refused', async () => {
    const { id } = await webhooks.create(receiver.url)
    expect((await call('PATCH', `/${id}`, {})).body.message).toContain('Name what is to change')
  })
})
