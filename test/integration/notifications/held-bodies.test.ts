import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDecoys } from '../../../api/notifications/decoy.ts'
import { until } from '../../harness/until.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

const MB = 1_048_576

let stage: Stage
let [first, second, third, fourth] = ['', '', '', '']
beforeAll(async () => {
  stage = await createStage()
  const add = (externalIdentifier: string) =>
    addIntegration(stage.db, stage.ring, stage.merchantUuid, {
      ...{ source: 'recoup_sandbox', externalIdentifier },
      secretPayload: { apiKey: 'k', notificationSecret: 'planted' },
    })
  ;[first, second, third, fourth] = [await add('a'), await add('b'), await add('c'), await add('d')]
})
afterAll(() => stage[Symbol.asyncDispose]())

/** An unknown id that responds like a sandbox integration. */
function unknownId(): string {
  const decoys = createDecoys(stage.deps)
  for (;;) {
    const id = randomUUID()
    if (decoys.definition(id)?.source === 'recoup_sandbox') return id
  }
}

const SIGNATURE = { 'sandbox-signature': `t=1,v1=${'0'.repeat(64)}` }

/** Deliveries that announce 1 MB each and send none of it until they are released. */
function holding() {
  const app = stage.secondApp()
  const waiting: (() => void)[] = []
  async function send(integrationId: string, remoteAddress: string): Promise<string> {
    const body = new ReadableStream(
      {
        pull(controller) {
          return new Promise<void>((resolve) =>
            waiting.push(() => {
              controller.close()
              resolve()
            }),
          )
        },
      },
      { highWaterMark: 0 },
    )
    const headers = { ...SIGNATURE, 'content-length': String(MB) }
    const env = { incoming: { socket: { remoteAddress }, complete: true } }
    const request = { method: 'POST', body, headers, duplex: 'half' }
    const response = await app.request(`/v1/notifications/${integrationId}`, request as RequestInit, env)
    return `${response.status} ${((await response.json()) as { message: string }).message}`
  }
  return {
    async hold(count: number, integrationId: string, address: string) {
      const responses: Promise<string>[] = []
      // One at a time: `release` then ends the bodies in the order in which the deliveries were sent.
      for (let n = 0; n < count; n++) {
        const before = waiting.length
        responses.push(send(integrationId, address))
        await until('its body is awaited', () => waiting.length > before)
      }
      return responses
    },
    /** The response to one more delivery, or that its body is awaited. */
    one(integrationId: string, address: string) {
      const before = waiting.length
      return Promise.race([
        send(integrationId, address),
        until('its body is awaited', () => waiting.length > before).then(() => 'awaited'),
      ])
    },
    release: (count = waiting.length) => {
      for (const end of waiting.splice(0, count)) end()
    },
  }
}
const [FULL, FORGED] = [
  '503 Too many deliveries are being received at once. Try again.',
  '401 The notification is not signed for this address.',
]

describe('finding 3: bytes of deliveries, counted before they are read', () => {
  test('are limited to 4 MB per address, an eighth of a caller with a token, and freed afterwards', async () => {
    const { hold, one, release } = holding()
    const responses = [...(await hold(2, first, '192.0.2.1')), ...(await hold(2, second, '192.0.2.1'))]
    expect(await one(third, '192.0.2.1')).toBe(FULL)
    release(1)
    expect(await responses[0]).toBe(FORGED)
    responses.push(...(await hold(1, third, '192.0.2.1')))
    release()
    expect(await Promise.all(responses)).toEqual(Array(5).fill(FORGED))
  })

  test.each([
    ['one integration', () => first],
    ['an id that no integration has', unknownId],
  ])('are limited to 8 MB for %s', async (_, idOf) => {
    const id = idOf()
    const { hold, one, release } = holding()
    const responses = [...(await hold(4, id, '192.0.2.1')), ...(await hold(4, id, '192.0.2.2'))]
    expect(await one(id, '192.0.2.3')).toBe(FULL)
    release()
    expect(await Promise.all(responses)).toEqual(Array(8).fill(FORGED))
  })

  test('are limited to 16 MB in total', async () => {
    const { hold, one, release } = holding()
    const responses: Promise<string>[] = []
    for (const [n, id] of [first, second, third, fourth].entries())
      responses.push(...(await hold(4, id, `192.0.2.${n}`)))
    expect(await one(first, '192.0.2.9')).toBe(FULL)
    release()
    expect(await Promise.all(responses)).toEqual(Array(16).fill(FORGED))
  })
})
