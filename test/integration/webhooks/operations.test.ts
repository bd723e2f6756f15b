import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAccount } from '../../../db/merchants/accounts.ts'
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

  test('of an endpoint of all merchants sends the events of each, and of no other account', async () => {
    const { stage } = webhooks
    const { merchantUuid } = await stage.newMerchant(stage.accountId)
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    const foreign = await stage.newMerchant(accountId)
    const as = { token: (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token }
    await using broken = await receive(answer(410))
    const { id } = await webhooks.create(broken.url, {}, as)
    for (const one of [stage.merchantUuid, merchantUuid, foreign.merchantUuid])
      await webhooks.events(1, { merchantUuid: one })
    await webhooks.turn()
    expect(broken.captured.length).toBeGreaterThan(0)
    await call('PATCH', `/${id}`, { url: receiver.url, enabled: true }, as)
    const since = '2026-01-01T00:00:00Z'
    expect((await call('POST', `/${id}/replay`, { since }, as)).body.count).toBe(2)
    await webhooks.turn()
    expect(receiver.captured).toHaveLength(2)
    const failed = (await call('GET', `/${id}/deliveries?state=failed`, undefined, as)).body.data
    const cancelled = (await call('GET', `/${id}/deliveries?state=cancelled`, undefined, as)).body.data
    expect(failed.length + cancelled.length).toBe(2)
    expect((await call('POST', `/${id}/replay`, { failedSince: since }, as)).body.count).toBe(2)
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
  expect((await call('GET', `/${id}/deliveries?cursor=x`)).body.message).toContain('cursor: Must be the nextCursor')
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
