import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { acceptedSecretTypes, adapterFor } from '../../../adapters/registry.ts'
import { addIntegration } from '../api/chargeback-rows.ts'
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

describe('deliveries to one integration', () => {
  test('that are not genuine use up what their caller may do, not what the integration may receive', async () => {
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

  test('that the PSP itself has to be asked about are asked to come again when ten wait for its word', async () => {
    let answer = () => {}
    const word = new Promise<void>((resolve) => {
      answer = resolve
    })
    const asking = (of: AdapterDefinition | undefined): AdapterDefinition | undefined =>
      of && {
        ...of,
        capabilities: { ...of.capabilities, notifications: { signature: 'certificate' } },
        connect: (connection) => ({
          ...of.connect(connection),
          verifyNotification: async ({ body: text }) => {
            await word
            return { id: (JSON.parse(text) as { id: string }).id, type: 't', body: text }
          },
        }),
      }
    const app = stage.secondApp({
      adapters: { acceptedSecretTypes, adapterFor: (...of) => asking(adapterFor(...of)) },
    })
    const answers = Array.from({ length: 11 }, () => deliver(app, { genuine: true }))
    // The ten wait for the word; the one that is not among them is told at once.
    expect(await Promise.race(answers)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
    answer()
    const statuses = (await Promise.all(answers)).map((one) => one.status)
    expect(statuses.sort()).toEqual([...Array(10).fill(200), 503])
  })
})
