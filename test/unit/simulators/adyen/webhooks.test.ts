import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { DEMO_ACCOUNT, HMAC_KEY } from '../../../../simulators/adyen/keys.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { connectAdyen } from '../../adapters/adyen/adyen.ts'
import { call, control, create, type Json } from '../../adapters/adyen/at-simulator.ts'
import { startLoopback } from '../../adapters/loopback.ts'

describe('notifications', () => {
  /** A receiver that refuses the first `failing` deliveries. */
  async function receiver(failing = 0) {
    const codes: string[] = []
    const server = await startLoopback((request, response) => {
      response.statusCode = failing-- > 0 ? 503 : 202
      if (response.statusCode === 202)
        codes.push(JSON.parse(request.body).notificationItems[0].NotificationRequestItem.eventCode)
      response.end('[accepted]')
    })
    return { codes, server }
  }

  test('are sent to a subscriber for new events, not for earlier ones', async () => {
    await using running = await startSimulator(adyenSimulator)
    const ref = await create(running)
    const { codes, server } = await receiver()
    await using _ = server
    await control(running, 'POST', '/subscriptions', { url: server.url })
    await call(running, 'acceptDispute', { disputePspReference: ref })
    await running.engine.subscriptions.idle()
    expect(codes).toEqual(['DISPUTE_DEFENSE_PERIOD_ENDED'])
  })

  test('include earlier events on request, also that of the payment', async () => {
    await using running = await startSimulator(adyenSimulator)
    await create(running)
    const { codes, server } = await receiver()
    await using _ = server
    await control(running, 'POST', '/subscriptions', { url: server.url, backlog: true })
    await running.engine.subscriptions.idle()
    expect(codes.sort()).toEqual(['AUTHORISATION', 'NOTIFICATION_OF_CHARGEBACK'])
  })

  test('are repeated until they are accepted', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { codes, server } = await receiver(1)
    await using _ = server
    await control(running, 'POST', '/subscriptions', { url: server.url })
    await create(running)
    await expect.poll(() => new Set(codes).size, { timeout: 10_000 }).toBe(2)
  })

  test('continue after the simulator has restarted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recoup-adyen-'))
    const snapshotFile = join(folder, 'adyen.snapshot')
    const { codes, server } = await receiver()
    await using _ = server
    let ref = ''
    {
      await using running = await startSimulator(adyenSimulator, { snapshotFile })
      await control(running, 'POST', '/subscriptions', { url: server.url })
      ref = await create(running)
      await running.engine.subscriptions.idle()
    }
    {
      await using running = await startSimulator(adyenSimulator, { snapshotFile })
      await call(running, 'acceptDispute', { disputePspReference: ref })
      await running.engine.subscriptions.idle()
      expect(await control<{ subscriptions: Json[] }>(running, 'GET', '/subscriptions')).toMatchObject({
        subscriptions: [{ id: 'sub_1' }],
      })
    }
    expect(codes.filter((code) => code === 'DISPUTE_DEFENSE_PERIOD_ENDED')).toHaveLength(1)
    expect(codes).toHaveLength(3)
    rmSync(folder, { recursive: true })
  })

  test('end when the subscription ends', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { codes, server } = await receiver()
    await using _ = server
    const { id } = await control<{ id: string }>(running, 'POST', '/subscriptions', { url: server.url })
    await control(running, 'DELETE', `/subscriptions/${id}`)
    await create(running)
    await running.engine.subscriptions.idle()
    expect(codes).toEqual([])
  })

  test("of a planted example of Adyen's are sent unchanged", async () => {
    await using running = await startSimulator(adyenSimulator)
    const { codes, server } = await receiver()
    await using _ = server
    await control(running, 'POST', '/subscriptions', { url: server.url })
    const raw = {
      eventCode: 'PREARBITRATION_WON',
      pspReference: 'PLANTED000000000',
      eventDate: '2026-01-01T00:00:00+01:00',
      merchantAccountCode: DEMO_ACCOUNT,
    }
    await control(running, 'POST', '/disputes', { raw })
    await running.engine.subscriptions.idle()
    expect(codes).toEqual(['PREARBITRATION_WON'])
  })

  test('can be altered in fields that the signature does not cover, but not in the others', async () => {
    await using running = await startSimulator(adyenSimulator)
    const ref = await create(running)
    const bodies: string[] = []
    await using server = await startLoopback((request, response) => {
      bodies.push(request.body)
      response.end('[accepted]')
    })
    for (const mutate of [undefined, 'altered', 'wrong_environment', 'forged'])
      await control(running, 'POST', '/notifications', { url: server.url, ref, mutate })
    const { verifyNotification } = connectAdyen({
      secret: { hmac: HMAC_KEY, apiKey: 'AQEkey' },
      externalIdentifier: DEMO_ACCOUNT,
    })
    const genuine = await Promise.all(
      bodies.map(async (body) => {
        const { live, notificationItems } = JSON.parse(body)
        const { disputeStatus } = notificationItems[0].NotificationRequestItem.additionalData
        const verified = await Promise.resolve()
          .then(() => verifyNotification({ body, headers: {} }))
          .then(
            () => 'genuine',
            () => 'refused',
          )
        return [live, disputeStatus, verified]
      }),
    )
    expect(genuine).toEqual([
      ['false', 'Undefended', 'genuine'],
      ['false', 'Won', 'genuine'],
      ['true', 'Undefended', 'genuine'],
      ['false', 'Undefended', 'refused'],
    ])
  })

  test('of some disputes lack originalReference after the first, as if its setting in Adyen were off', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { disputes } = await control<{ disputes: { ref: string }[] }>(running, 'POST', '/disputes', {
      count: 30,
      stage: 'second_chargeback',
    })
    type Items = { items: { eventCode: string; originalReference?: string }[] }
    const objects = await Promise.all(
      disputes.map(({ ref }) => control<{ object: Items }>(running, 'GET', `/disputes/${ref}`)),
    )
    const items = objects.flatMap(({ object }) => object.items)
    const has = (pattern: RegExp) =>
      new Set(items.filter((one) => pattern.test(one.eventCode)).map((one) => one.originalReference !== undefined))
    expect(has(/^(CHARGEBACK_REVERSED|SECOND_CHARGEBACK|PREARBITRATION_)/)).toEqual(new Set([true, false]))
    expect(has(/^(NOTIFICATION_OF_CHARGEBACK|INFORMATION_SUPPLIED)/)).toEqual(new Set([true]))
  })
})
