import { afterEach, beforeEach, expect, test } from 'vitest'
import { receive } from './receivers.ts'
import { openWebhooks, type WebhookStage } from './webhook-stage.ts'

let webhooks: WebhookStage
beforeEach(async () => {
  webhooks = await openWebhooks()
})
afterEach(() => webhooks[Symbol.asyncDispose]())

const call = (method: string, path: string, body?: unknown) =>
  webhooks.stage.call(method, `/v1/webhook-endpoints${path}`, { ...(body !== undefined && { body }) })

/** A receiver that keeps its first request until it is released. */
async function holding() {
  const held: (() => void)[] = []
  const receiver = await receive((_, response) =>
    held.length === 0 ? held.push(() => response.end()) : response.end(),
  )
  return { ...receiver, held }
}

test('a request in flight locks nothing: its endpoint can be read, changed, rotated, replayed and deleted, and events come', async () => {
  await using receiver = await holding()
  await using other = await receive()
  const { id } = await webhooks.create(receiver.url)
  await using _engine = webhooks.engine(1, 15_000)
  await webhooks.events(1)
  await expect.poll(() => receiver.held.length, { timeout: 10_000 }).toBe(1)
  // Each would wait for the receiver otherwise, which answers only at the end.
  await webhooks.events(1)
  expect((await call('GET', `/${id}`)).status).toBe(200)
  expect((await call('PATCH', `/${id}`, { url: other.url, description: 'Moved' })).status).toBe(200)
  expect((await call('POST', `/${id}/rotate-secret`, {})).status).toBe(200)
  expect((await call('POST', `/${id}/test`)).status).toBe(202)
  expect((await call('POST', `/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).status).toBe(202)
  expect(receiver.captured).toHaveLength(1)
  receiver.held[0]?.()
  await expect.poll(() => other.captured.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(2)
  await expect.poll(async () => (await webhooks.read(id)).pending, { timeout: 10_000 }).toBe(0)
  // What the turn stored did not undo the change.
  expect(await webhooks.read(id)).toMatchObject({ url: other.url, description: 'Moved', state: 'enabled' })
})

test.each([
  ['deleted', (id: string) => call('DELETE', `/${id}`)],
  ['disabled', (id: string) => call('PATCH', `/${id}`, { enabled: false })],
])('an endpoint that is %s while a request is in flight stays so', async (_, end) => {
  await using receiver = await holding()
  const { id } = await webhooks.create(receiver.url)
  await webhooks.events(3)
  const turn = webhooks.turn()
  await expect.poll(() => receiver.held.length, { timeout: 10_000 }).toBe(1)
  expect((await end(id)).status).toBe(200)
  receiver.held[0]?.()
  await turn
  const sent = receiver.captured.length
  await webhooks.events(2)
  await webhooks.hurry()
  expect(await webhooks.turn()).toBeNull()
  expect(receiver.captured).toHaveLength(sent)
})

test('events, changes, rotations, replays, tests and two engines at once: no deadlock, and everything ends', async () => {
  await using receiver = await receive()
  const ids = await Promise.all(Array.from({ length: 3 }, async () => (await webhooks.create(receiver.url)).id))
  const wrong: unknown[] = []
  const repeat = async (times: number, work: (n: number) => Promise<{ status: number } | unknown>) => {
    for (let n = 0; n < times; n++) {
      const done = (await work(n).catch((error: Error) => ({ status: 500, body: error.message }))) as {
        status?: number
      }
      if (done?.status !== undefined && done.status >= 500) wrong.push(done)
    }
  }
  const one = (n: number) => ids[n % ids.length] as string
  {
    await using _first = webhooks.engine(4)
    await using _second = webhooks.engine(4)
    await Promise.all([
      repeat(40, () => webhooks.events(5)),
      repeat(40, (n) => call('PATCH', `/${one(n)}`, { description: `Change ${n}` })),
      repeat(20, (n) => call('POST', `/${one(n)}/rotate-secret`, { expireOldAfterSeconds: 60 })),
      repeat(20, (n) => call('POST', `/${one(n)}/replay`, { since: '2026-01-01T00:00:00Z' })),
      repeat(20, (n) => call('POST', `/${one(n)}/test`)),
      repeat(10, async () => call('PATCH', `/${ids[2]}`, { enabled: false })),
      repeat(10, async () => call('PATCH', `/${ids[2]}`, { enabled: true })),
    ])
    await call('PATCH', `/${ids[2]}`, { enabled: true })
    for (const id of ids) await expect.poll(async () => (await webhooks.read(id)).pending, { timeout: 60_000 }).toBe(0)
  }
  expect(wrong).toEqual([])
  expect(webhooks.lines.filter(([text]) => text.includes('failed'))).toEqual([])
}, 120_000)
