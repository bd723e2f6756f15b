import { afterEach, beforeEach, expect, test } from 'vitest'
import { misbehaving } from './misbehaving.ts'
import { type Receiver, receive, receiveRaw } from './receivers.ts'
import { openWebhooks, type WebhookStage } from './webhook-stage.ts'

let webhooks: WebhookStage
const receivers: AsyncDisposable[] = []
const served = async <One extends AsyncDisposable>(one: Promise<One>): Promise<One> => {
  receivers.push(await one)
  return one
}
beforeEach(async () => {
  webhooks = await openWebhooks()
})
afterEach(async () => {
  for (const one of receivers.splice(0)) await one[Symbol.asyncDispose]()
  await webhooks[Symbol.asyncDispose]()
})

const idsOf = ({ captured }: Receiver) => new Set(captured.map(({ headers }) => headers['webhook-id']))

test('others get every event beside receivers that misbehave, with fewer slots than those', async () => {
  const good = await Promise.all([served(receive()), served(receive()), served(receive())])
  const { urls: bad } = await served(misbehaving())
  for (const url of [...bad, ...good.map(({ url }) => url)]) await webhooks.create(url)
  await using _engine = webhooks.engine(4)
  const sent: string[] = []
  for (let wave = 0; wave < 6; wave++) {
    sent.push(...(await webhooks.events(5)))
    // A wave is delivered before the next is made: none waits for a receiver that never answers.
    for (const one of good) await expect.poll(() => idsOf(one).size, { timeout: 30_000 }).toBe(sent.length)
  }
  for (const one of good) expect(idsOf(one)).toEqual(new Set(sent.map((id) => `evt_${id.replaceAll('-', '')}`)))
  const { body } = await webhooks.stage.call('GET', '/v1/webhook-endpoints')
  const states = body.data.map(({ state }: { state: string }) => state)
  expect(states.slice(-3)).toEqual(['enabled', 'enabled', 'enabled'])
  expect(states[8]).toBe('disabled')
  expect(states.filter((state: string) => state === 'failing').length).toBeGreaterThan(5)
})

test('a receiver holds one slot: with two, the other is free for all others', async () => {
  const silent = await served(receiveRaw(() => {}))
  const good = await served(receive())
  await webhooks.create(silent.url)
  for (let n = 0; n < 3; n++) await webhooks.create(good.url)
  await using _engine = webhooks.engine(2, 15_000)
  const ids = await webhooks.events(20)
  await expect.poll(() => good.captured.length, { timeout: 10_000 }).toBe(ids.length * 3)
  // The engine ends after its requests: this one would last 15 s.
  await silent[Symbol.asyncDispose]()
  receivers.splice(receivers.indexOf(silent), 1)
})

test('two engines send each event once, and at most four at once to an endpoint', async () => {
  const good = await served(receive((_request, response) => setImmediate(() => response.end())))
  await webhooks.create(good.url)
  await using _first = webhooks.engine()
  await using _second = webhooks.engine()
  await webhooks.events(200)
  await expect.poll(() => idsOf(good).size, { timeout: 30_000 }).toBe(200)
  expect(good.captured).toHaveLength(200)
  expect(good.mostAtOnce()).toBeLessThanOrEqual(4)
})

test('an engine that is stopped ends its requests first', async () => {
  let release = () => {}
  const held = await served(
    receive((_request, response) => {
      release = () => response.end()
    }),
  )
  const { id } = await webhooks.create(held.url)
  const engine = webhooks.engine(20, 15_000)
  await webhooks.events(1)
  await expect.poll(() => held.captured.length, { timeout: 10_000 }).toBe(1)
  const stopped = engine[Symbol.asyncDispose]()
  release()
  await stopped
  expect((await webhooks.deliveries(id))[0].state).toBe('delivered')
})
