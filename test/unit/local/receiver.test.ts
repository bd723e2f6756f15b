import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdLines, startReceiver } from '../../../local/receiver/receiver.ts'
import { quietPorts } from '../../../process/ports.ts'
import { newKeys, secretOf, signedHeaders } from '../../../webhooks/sign.ts'

const keys = newKeys('hmac')
const lines: string[] = []
let url = ''
let receiver: AsyncDisposable
beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  url = `http://127.0.0.1:${port}/`
  receiver = await startReceiver({ host: '127.0.0.1', port, secret: secretOf(keys) }, (line) => lines.push(line))
})
afterAll(() => receiver[Symbol.asyncDispose]())

const chargeback = { chargebackId: 'du_1', amount: '10.99', currency: 'USD' }
const body = JSON.stringify({
  ...{ id: 'evt_1', type: 'chargeback.won', timestamp: '2026-02-03T10:15:00.000Z', referenceAccountId: 'shop' },
  data: { chargeback, changes: [{ what: 'pspStatus changed' }] },
})
const send = (headers: Record<string, string>, text = body) => fetch(url, { method: 'POST', headers, body: text })
const signed = (at = new Date(), own = keys) => signedHeaders({ id: 'evt_1', at, body: Buffer.from(body) }, own)

test('prints a line for each genuine event, also during a rotation', async () => {
  for (const own of [keys, [...newKeys('ed25519'), ...keys]])
    expect((await send(signed(new Date(), own))).status).toBe(204)
  expect(lines.splice(0)).toEqual(
    Array(2).fill('2026-02-03 10:15:00  chargeback.won                shop  du_1  10.99 USD  pspStatus changed'),
  )
})

test.each([
  ['without headers', () => send({})],
  ['signed with another secret', () => send(signed(new Date(), newKeys('hmac')))],
  ['with another body', () => send(signed(), `${body} `)],
  ['recorded six minutes ago', () => send(signed(new Date(Date.now() - 360_000)))],
  ['with a timestamp that is no number', () => send({ ...signed(), 'webhook-timestamp': 'now' })],
])('refuses a request %s', async (_, request) => {
  expect((await request()).status).toBe(401)
  expect(lines.splice(0)).toEqual(['refused: the signature does not fit the secret'])
})

test('lines wait until they are released', () => {
  const printed: string[] = []
  const held = holdLines((line) => printed.push(line))
  held.add('first')
  expect(printed).toEqual([])
  held.release()
  held.add('second')
  expect(printed).toEqual(['first', 'second'])
})
