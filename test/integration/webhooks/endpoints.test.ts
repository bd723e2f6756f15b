import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
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

describe('a rotation', () => {
  test('signs with both secrets until the old one ends', async () => {
    const { id, secret: old } = await webhooks.create(receiver.url, { signature: 'ed25519' })
    const { body } = await call('POST', `/${id}/rotate-secret`, { expireOldAfterSeconds: 3600 })
    expect(body.secret).not.toBe(old)
    expect((await webhooks.read(id)).publicKey).toBe(body.publicKey)
    await webhooks.events(1)
    await webhooks.turn()
    const verify = (secret: string, at: number) => {
      const { body, headers } = receiver.captured[at] as Receiver['captured'][number]
      return new Webhook(secret).verify(body, headers as Record<string, string>)
    }
    for (const secret of [old, body.secret]) expect(verify(secret, 0)).toBeDefined()
    await sql`update webhook_endpoint set old_keys_until = now()`.execute(webhooks.stage.db)
    await webhooks.events(1)
    await webhooks.turn()
    expect(verify(body.secret, 1)).toBeDefined()
    expect(() => verify(old, 1)).toThrow('No matching signature')
    const { rows } = await sql`select old_keys_sealed as sealed from webhook_endpoint`.execute(webhooks.stage.db)
    expect(rows).toEqual([{ sealed: null }])
  })

  test('after a leak ends the old secret at once', async () => {
    const { id, secret: old } = await webhooks.create(receiver.url)
    await call('POST', `/${id}/rotate-secret`, { expireOldAfterSeconds: 0 })
    await webhooks.events(1)
    await webhooks.turn()
    const [one] = receiver.captured
    expect(() => new Webhook(old).verify(one?.body ?? '', one?.headers as Record<string, string>)).toThrow()
  })
})

describe('a test event', () => {
  test('is sent at once, before what waits, also to a disabled endpoint, and only once', async () => {
    await using broken = await receive(answer(500))
    const { id } = await webhooks.create(broken.url, { events: ['alert.created'] })
    await call('PATCH', `/${id}`, { enabled: false })
    const { body } = await call('POST', `/${id}/test`)
    await webhooks.turn()
    expect(broken.captured).toHaveLength(1)
    const [delivery] = await webhooks.deliveries(id)
    expect(delivery).toMatchObject({ deliveryId: body.deliveryId, type: 'webhook.test', state: 'failed' })
    await webhooks.hurry()
    expect(await webhooks.turn()).toBeNull()
    expect((await webhooks.read(id)).state).toBe('disabled')
  })
})

describe('a replay', () => {
  test('sends events since a time again, under their ids, after new ones', async () => {
    const { id } = await webhooks.create(receiver.url)
    const old = await webhooks.events(2)
    await webhooks.turn()
    const { body } = await call('POST', `/${id}/replay`, { since: '2026-01-01T00:00:00Z', types: ['chargeback.*'] })
    expect(body.count).toBe(2)
    const fresh = await webhooks.events(1)
    // What waits already is not added again.
    expect((await call('POST', `/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).body.count).toBe(0)
    await webhooks.turn()
    const sent = receiver.captured.map(({ headers }) => headers['webhook-id'])
    const evt = (ids: string[]) => ids.map((one) => `evt_${one.replaceAll('-', '')}`)
    expect(sent.slice(2)).toHaveLength(3)
    expect(sent.slice(2).toSorted()).toEqual(evt([...old, ...fresh]).toSorted())
    const [, , first] = await webhooks.deliveries(id)
    expect(first).toBeDefined()
  })

  test('of deliveries by id takes only the endpoint’s own', async () => {
    const { id } = await webhooks.create(receiver.url)
    const other = await webhooks.create(receiver.url)
    await webhooks.events(1)
    while (await webhooks.turn());
    const [own] = await webhooks.deliveries(id)
    const [foreign] = await webhooks.deliveries(other.id)
    const replay = (deliveryIds: string[]) => call('POST', `/${id}/replay`, { deliveryIds })
    expect((await replay([foreign.deliveryId])).body.count).toBe(0)
    expect((await replay([own.deliveryId, foreign.deliveryId])).body.count).toBe(1)
  })

  test('needs exactly one of its choices', async () => {
    const { id } = await webhooks.create(receiver.url)
    for (const body of [{}, { since: '2026-01-01T00:00:00Z', failedSince: '2026-01-01T00:00:00Z' }])
      expect((await call('POST', `/${id}/replay`, body)).body.message).toContain('Name one of')
  })
})

test('deliveries are listed in pages', async () => {
  const { id } = await webhooks.create(receiver.url)
  await webhooks.events(25)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await call('GET', `/${id}/deliveries?limit=10&state=pending${cursor}`)
    seen.push(...body.data.map((one: { deliveryId: string }) => one.deliveryId))
    if (!body.hasMore) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(new Set(seen).size).toBe(25)
  expect((await call('GET', `/${id}/deliveries?cursor=x`)).body.code).toBe('invalid_cursor')
})

test('no secret is in a log line, and no path of an address', async () => {
  const { id, secret } = await webhooks.create(`${receiver.url}/path-secret?key=query-secret`)
  await webhooks.events(1)
  await webhooks.turn()
  await call('POST', `/${id}/rotate-secret`, {})
  const lines = JSON.stringify(webhooks.lines) + webhooks.stage.lines.join()
  expect(lines).toContain(id)
  for (const canary of [secret.slice(6), 'path-secret', 'query-secret']) expect(lines).not.toContain(canary)
})
