import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import { acceptedSecretTypes, adapterFor } from '../../../adapters/registry.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
let integrationId: string
const SECRET = 'planted'
beforeAll(async () => {
  stage = await createStage()
  integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid, {
    source: 'recoup_sandbox',
    externalIdentifier: 'sandbox-1',
    secretPayload: { apiKey: 'k', notificationSecret: SECRET },
  })
})
afterAll(() => stage[Symbol.asyncDispose]())

const row = () => stage.db.selectFrom('integration').select('notifications_refused').executeTakeFirstOrThrow()

let count = 0
const body = () => JSON.stringify({ id: `event-${++count}`, type: 't', account: 'sandbox-1', chargebackId: 'cb-1' })
const signed = (text: string) => {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', SECRET).update(`${seconds}.${text}`).digest('hex')
  return { 'sandbox-signature': `t=${seconds},v1=${signature}` }
}
const deliver = (app: Stage['app'], { genuine, id = integrationId }: { genuine: boolean; id?: string }) => {
  const text = body()
  return stage.call('POST', `/v1/notifications/${id}`, { body: text, headers: genuine ? signed(text) : {} }, app)
}
/** Delivers from that address. */
const deliverFrom = async (app: Stage['app'], remoteAddress: string, headers: Record<string, string>) => {
  const env = { incoming: { socket: { remoteAddress }, complete: true } }
  return (await app.request(`/v1/notifications/${integrationId}`, { method: 'POST', body: body(), headers }, env))
    .status
}
/** Like PayPal: the PSP itself checks whether a delivery is genuine. */
const checkedByPsp = (genuine: (headers: Record<string, string | undefined>) => Promise<boolean>) => {
  const changed = (of: AdapterDefinition | undefined): AdapterDefinition | undefined =>
    of && {
      ...of,
      capabilities: { ...of.capabilities, notifications: { signature: 'certificate' } },
      connect: (connection) => ({
        ...of.connect(connection),
        verifyNotification: async ({ body: text, headers }) => {
          if (await genuine(headers)) return { id: (JSON.parse(text) as { id: string }).id, type: 't', body: text }
          throw new PspError('invalid_request', 'forged')
        },
      }),
    }
  return { acceptedSecretTypes, adapterFor: (...of: Parameters<typeof adapterFor>) => changed(adapterFor(...of)) }
}
const SHAPE = { 'sandbox-signature': `t=1,v1=${'0'.repeat(64)}` }

describe('deliveries to one integration', () => {
  test('that are not genuine count against the rate limit of their caller, not of the integration', async () => {
    const app = stage.secondApp({ rateLimitPerMinute: 3 })
    const forged = []
    for (let n = 0; n < 5; n++) forged.push((await deliver(app, { genuine: false })).status)
    expect(forged).toEqual([401, 401, 401, 429, 429])
    const genuine = []
    for (const id of [integrationId, integrationId.toUpperCase(), integrationId, integrationId.toUpperCase()])
      genuine.push(await deliver(app, { genuine: true, id }))
    expect(genuine.map((one) => one.status)).toEqual([200, 200, 200, 429])
    expect(genuine.map((one) => one.headers.get('ratelimit-remaining'))).toEqual(['2', '1', '0', '0'])
  })

  test('that the PSP itself has to check get 503 while ten wait for its response', async () => {
    let respond = () => {}
    const responded = new Promise<void>((resolve) => {
      respond = resolve
    })
    const app = stage.secondApp({ adapters: checkedByPsp(() => responded.then(() => true)) })
    const from = (address: string, count: number) =>
      Array.from({ length: count }, () => deliverFrom(app, address, SHAPE))
    // Five of one address wait; the sixth is refused at once, and so is the eleventh of all.
    const first = from('192.0.2.1', 6)
    expect(await Promise.race(first)).toBe(503)
    const second = from('192.0.2.2', 5)
    const third = from('192.0.2.3', 1)
    expect(await Promise.race([...second, ...third])).toBe(503)
    respond()
    const statuses = await Promise.all([...first, ...second, ...third])
    expect(statuses.sort()).toEqual([...Array(10).fill(200), 503, 503])
  })

  test('finding 3: a thousand unsigned posts never make a genuine delivery get 429', async () => {
    const checked: string[] = []
    const genuine = async (headers: Record<string, string | undefined>) => {
      checked.push(headers['sandbox-signature'] ?? '')
      return headers['sandbox-signature'] !== SHAPE['sandbox-signature']
    }
    const app = stage.secondApp({ rateLimitPerMinute: 50, adapters: checkedByPsp(genuine) })
    const refusedBefore = (await row()).notifications_refused
    const unsigned = await Promise.all(Array.from({ length: 1_000 }, () => deliverFrom(app, '203.0.113.5', {})))
    expect(new Set(unsigned)).toEqual(new Set([401, 429]))
    expect(checked).toEqual([])
    expect((await row()).notifications_refused).toBe(refusedBefore)
    // Forged headers use up the rate limit of their own address, and the PSP checks no more than that.
    const forged = []
    for (let n = 0; n < 60; n++) forged.push(await deliverFrom(app, '203.0.113.6', SHAPE))
    expect(new Set(forged)).toEqual(new Set([401, 429]))
    expect(checked).toHaveLength(50)
    const valid = { 'sandbox-signature': `t=1,v1=${'1'.repeat(64)}` }
    for (let n = 0; n < 50; n++) expect(await deliverFrom(app, '192.0.2.9', valid)).toBe(200)
  })

  test('to unknown integrations hold at most two database connections of the process', async () => {
    const { pool } = stage.db
    let [held, most] = [0, 0]
    const acquired = () => {
      most = Math.max(most, ++held)
    }
    const released = () => void held--
    pool.on('acquire', acquired).on('release', released)
    const app = stage.secondApp({})
    const ids = Array.from({ length: 40 }, () => randomUUID())
    const refused = await Promise.all(ids.map((id) => deliver(app, { genuine: false, id })))
    pool.off('acquire', acquired).off('release', released)
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]))
    expect(most).toBe(2)
  })

  test('finding 3: a post without a signature gets its response before its body is read', async () => {
    let read = 0
    const endless = () =>
      new ReadableStream({
        pull(controller) {
          read += 65_536
          controller.enqueue(new Uint8Array(65_536))
        },
      })
    const post = (id: string, headers: Record<string, string>) =>
      stage.app.request(`/v1/notifications/${id}`, {
        method: 'POST',
        body: endless(),
        headers,
        duplex: 'half',
      } as never)
    const unsigned = await post(integrationId, {})
    expect(unsigned.status).toBe(401)
    expect(read).toBeLessThan(200_000)
    // An unknown id behaves like an integration of some PSP: its body is read up to the limit, or not at all.
    const statuses = new Set<number>()
    for (let n = 0; n < 30; n++) statuses.add((await post(randomUUID(), SHAPE)).status)
    expect([...statuses].sort()).toEqual([401, 413])
    expect((await post(integrationId, SHAPE)).status).toBe(413)
  })
})
