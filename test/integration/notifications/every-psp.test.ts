import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Subject } from '../../../adapters/conformance/subject.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { startSimulator } from '../../../simulators/engine/serve.ts'
import { openFixture } from './psp-fixture.ts'

const listening = SUBJECTS.filter(({ definition }) => definition.capabilities.notifications)
const byName = listening.map((subject) => [subject.definition.source, subject] as const)

describe.each(byName)('notifications of %s', (_, subject) => {
  const { capabilities } = subject.definition

  test('get the response that the PSP expects, are stored once, and make Recoup read their disputes', async () => {
    await using fixture = await openFixture(subject)
    const { integrationId, url } = await fixture.integrate()
    const { disputes } = await fixture.control('/disputes', { count: 3, status: 'needs_response' })
    const refs = disputes.map((one) => one.ref).sort()
    for (const ref of refs) {
      const { deliveries } = await fixture.control('/notifications', { url, ref, count: 1, mutate: 'replayed' })
      expect(new Set(deliveries.map((one) => one.status))).toEqual(new Set([200]))
    }
    expect(await fixture.stored(integrationId)).toHaveLength(3)
    const rereads = await fixture.stage.db.selectFrom('reread').select('reference').orderBy('reference').execute()
    expect(rereads.map((one) => one.reference)).toEqual(capabilities.listing === 'inbox' ? [] : refs)
    const slice = await fixture.poll(integrationId)
    expect(slice).toMatchObject({ done: true, created: 3, reread: capabilities.listing === 'inbox' ? 0 : 3 })
    expect((await fixture.chargebacks(integrationId)).map((one) => one.chargeback_id)).toEqual(refs)
    expect(await fixture.stage.db.selectFrom('reread').selectAll().execute()).toEqual([])
    expect(await fixture.poll(integrationId)).toMatchObject({ created: 0, reread: 0 })
  })

  test('that are forged, or for another account, are refused with 401 and not stored', async () => {
    await using fixture = await openFixture(subject)
    const { url } = await fixture.integrate()
    const { disputes } = await fixture.control('/disputes', { count: 1 })
    const forged = await fixture.control('/notifications', { url, ref: disputes[0]?.ref, mutate: 'forged' })
    expect(forged.deliveries.map((one) => one.status)).toEqual([401])
    const account = subject.simulator.externalIdentifier
    const other = await fixture.control('/disputes', { count: 1, account })
    const foreign = await fixture.control('/notifications', { url, account, ref: other.disputes[0]?.ref })
    expect(foreign.deliveries.map((one) => one.status)).toEqual([401])
    expect(await fixture.stage.db.selectFrom('notification').selectAll().execute()).toEqual([])
    expect(await fixture.stage.db.selectFrom('reread').selectAll().execute()).toEqual([])
  })
})

describe('an inbox', () => {
  const adyen = listening.find(({ definition }) => definition.capabilities.listing === 'inbox') as Subject

  test('returns late, reordered and repeated notifications as one dispute in its latest state', async () => {
    await using fixture = await openFixture(adyen)
    const { integrationId, url } = await fixture.integrate()
    const { disputes } = await fixture.control('/disputes', { count: 1, status: 'needs_response', stage: 'chargeback' })
    const ref = disputes[0]?.ref as string
    await fixture.control(`/disputes/${ref}/decide`, { outcome: 'lost' })
    await fixture.control('/notifications', { url, ref, count: 50, mutate: 'reordered' })
    expect(await fixture.poll(integrationId)).toMatchObject({ done: true, created: 1 })
    await fixture.control('/notifications', { url, ref, count: 50 })
    expect(await fixture.poll(integrationId)).toMatchObject({ created: 0, changed: 0, seen: 0 })
    expect(await fixture.chargebacks(integrationId)).toEqual([{ chargeback_id: ref, psp_status: 'lost' }])
  })

  test('responds with the text that Adyen expects', async () => {
    await using fixture = await openFixture(adyen)
    const { integrationId } = await fixture.integrate()
    const { profile } = adyen.simulator
    const capability = adyen.definition.capabilities.notifications
    expect(capability).toMatchObject({ answer: '[accepted]' })
    const running = await startSimulator(adyen.simulator)
    await fetch(`${running.controlUrl}/disputes`, { method: 'POST', body: '{}' })
    const [event] = running.engine.account(profile.homeAccount).events.all()
    if (!event) throw new Error('the simulator has no event')
    const { body, headers } = profile.notification(running.engine, event, profile.notificationSecret, Date.now() / 1000)
    await running[Symbol.asyncDispose]()
    const path = `/v1/notifications/${integrationId}`
    const received = await fixture.stage.app.request(path, { method: 'POST', body, headers })
    expect([received.status, await received.text()]).toEqual([200, '[accepted]'])
  })

  test('never returns a position while an earlier one is still being written', async () => {
    await using fixture = await openFixture(adyen)
    const { integrationId, url } = await fixture.integrate()
    const { disputes } = await fixture.control('/disputes', { count: 30 })
    // Eight deliveries at a time, and polls between them.
    const account = adyen.simulator.profile.homeAccount
    await fixture.control('/subscriptions', { url, account, backlog: true })
    const idle = fixture.idle().then(() => true)
    let seen = 0
    for (let delivered = false; !delivered; ) {
      delivered = await Promise.race([idle, new Promise<false>((go) => setTimeout(go, 5, false))])
      seen += (await fixture.poll(integrationId)).created
    }
    expect(seen).toBe(disputes.length)
    expect(await fixture.chargebacks(integrationId)).toHaveLength(disputes.length)
  })
})

describe('a PSP that verifies its notifications itself', () => {
  test('and is unavailable: 503, so that it delivers again, and nothing is lost or counted as forged', async () => {
    const paypal = listening.find(({ definition }) => definition.source === 'paypal') as Subject
    await using fixture = await openFixture(paypal)
    const { integrationId, url } = await fixture.integrate()
    const { disputes } = await fixture.control('/disputes', { count: 1 })
    const order = { url, ref: disputes[0]?.ref }
    await fixture.control('/faults', {
      kind: '500',
      count: 1,
      match: { path: '/v1/notifications/verify-webhook-signature' },
    })
    expect((await fixture.control('/notifications', order)).deliveries).toMatchObject([{ status: 503 }])
    expect(await fixture.stored(integrationId)).toEqual([])
    expect((await fixture.control('/notifications', order)).deliveries).toMatchObject([{ status: 200 }])
    expect(await fixture.stored(integrationId)).toHaveLength(1)
    const row = await fixture.stage.db.selectFrom('integration').select('notifications_refused').executeTakeFirst()
    expect(row?.notifications_refused).toBe(0n)
  })
})

describe('the address of a Braintree integration', () => {
  test('responds to the challenge of its registration, and to no other request', async () => {
    const braintree = listening.find(({ definition }) => definition.source === 'braintree') as Subject
    await using fixture = await openFixture(braintree)
    const { integrationId } = await fixture.integrate()
    const ask = (challenge: string) =>
      fixture.stage.app.request(`/v1/notifications/${integrationId}?bt_challenge=${challenge}`)
    const reply = await ask('a1b2c3d4e5f6a7b8c9d0')
    expect([reply.status, await reply.text()]).toEqual([
      200,
      expect.stringMatching(new RegExp(`^${braintree.simulator.homeSecretPayload?.publicKey}\\|[0-9a-f]{40}$`)),
    ])
    expect((await ask('not-hexadecimal')).status).toBe(401)
  })

  test('finding 6: does not reveal which integrations exist, nor whose public key is whose', async () => {
    const [braintree, stripe] = ['braintree', 'stripe'].map((name) =>
      listening.find(({ definition }) => definition.source === name),
    ) as [Subject, Subject]
    await using fixture = await openFixture(braintree)
    await using other = await openFixture(stripe)
    const { integrationId } = await fixture.integrate()
    const { app, db, secondApp } = fixture.stage
    const ask = async (id: string, on = app) => {
      const began = performance.now()
      const response = await on.request(`/v1/notifications/${id}?bt_challenge=a1b2c3d4e5f6a7b8c9d0`)
      return { status: response.status, text: await response.text(), ms: performance.now() - began }
    }
    const own = await ask(integrationId)
    const unknown = randomUUID()
    const responses = [own, await ask(unknown), await ask((await other.integrate()).integrationId, other.stage.app)]
    for (const { status, text, ms } of responses) {
      expect(status).toBe(200)
      expect(text).toMatch(/^[a-z0-9]{16}\|[0-9a-f]{40}$/)
      expect(ms).toBeGreaterThan(95)
    }
    expect((await ask(unknown)).text).toBe(responses[1]?.text)
    // A day later its address has been registered, so its key is not returned any more.
    await db
      .updateTable('integration')
      .set({ created_at: new Date(Date.now() - 25 * 3_600_000) })
      .execute()
    const later = await ask(integrationId, secondApp())
    expect(later).toMatchObject({ status: 200, text: expect.stringMatching(/^[a-z0-9]{16}\|[0-9a-f]{40}$/) })
    expect(later.text).not.toContain(own.text.split('|')[0])
    await db.updateTable('integration').set({ secret_replaced_at: new Date() }).execute()
    expect((await ask(integrationId, secondApp())).text).toBe(own.text)
  })
})
