import { createHash, createHmac } from 'node:crypto'
import sdk from 'braintree'
import { describe, expect, test } from 'vitest'
import { braintreeSubject } from '../../../../simulators/braintree/subject.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { type Anything, connectTo, SECRET } from './connect.ts'

const gateway = new sdk.BraintreeGateway({
  environment: sdk.Environment.Sandbox,
  merchantId: 'recoupdemo',
  publicKey: SECRET.publicKey ?? '',
  privateKey: SECRET.secretKey,
})
const adapter = connectTo('http://127.0.0.1:9')

const KINDS = [
  'dispute_opened',
  'dispute_under_review',
  'dispute_won',
  'dispute_lost',
  'dispute_accepted',
  'dispute_auto_accepted',
  'dispute_disputed',
  'dispute_expired',
]

/** A sample that the SDK itself signs. */
function sample(kind: string, id = 'd1') {
  const signed: Anything = gateway.webhookTesting.sampleNotification(kind as never, id)
  return {
    body: new URLSearchParams(signed).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  }
}

/** A notification about that dispute, signed like by the SDK's own test helper. */
function signedXml(dispute: string, timestamp = new Date().toISOString()) {
  const xml = `<notification><timestamp type="datetime">${timestamp}</timestamp><kind>dispute_opened</kind><subject><dispute>${dispute}</dispute></subject></notification>`
  const payload = `${Buffer.from(xml).toString('base64')}\n`
  const signature = createHmac('sha1', createHash('sha1').update(SECRET.secretKey).digest())
    .update(payload)
    .digest('hex')
  const body = new URLSearchParams({ bt_signature: `${SECRET.publicKey}|${signature}`, bt_payload: payload }).toString()
  return { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
}

describe('a notification that the SDK signed', () => {
  test.each(KINDS)('%s names its dispute', async (kind) => {
    const envelope = await adapter.verifyNotification(sample(kind, 'kx9j2dm4rq'))
    expect(envelope.type).toBe(kind)
    expect(adapter.readNotification(envelope)).toEqual({ references: ['kx9j2dm4rq'] })
  })

  test('of another merchant account at the same gateway names none', async () => {
    const envelope = await adapter.verifyNotification(
      signedXml('<id>d1</id><merchant-account-id>ma_b</merchant-account-id>'),
    )
    const readBy = (...merchantAccountCodes: string[]) =>
      connectTo('http://127.0.0.1:9', { merchantAccountCodes }).readNotification(envelope).references
    expect([readBy('ma_a'), readBy('ma_a', 'ma_b'), readBy()]).toEqual([[], ['d1'], ['d1']])
  })

  test.each([
    ['no dispute', ''],
    ['an invalid id', '<id>d 1</id>'],
    ['an id that is an object', '<id><a>1</a></id>'],
  ])('with %s names none', async (_, dispute) => {
    const envelope = await adapter.verifyNotification(signedXml(dispute))
    expect(adapter.readNotification(envelope)).toEqual({ references: [] })
  })

  test('names the id of the dispute, not of an object inside it', async () => {
    const inside =
      '<transaction><id>t1</id></transaction><evidence type="array"><evidence><id>e1</id></evidence></evidence>'
    const envelope = await adapter.verifyNotification(signedXml(`${inside}<id>d7</id>`))
    expect(adapter.readNotification(envelope)).toEqual({ references: ['d7'] })
  })

  test('of another kind names none', async () => {
    expect(adapter.readNotification(await adapter.verifyNotification(sample('check')))).toEqual({ references: [] })
  })

  test('has the same id if it is repeated', async () => {
    const request = sample('dispute_won')
    const [first, second] = [await adapter.verifyNotification(request), await adapter.verifyNotification(request)]
    expect(first.id).toBe(second.id)
  })

  test('is also valid without the line break that ends its signed payload', async () => {
    const request = sample('dispute_won')
    const form = new URLSearchParams(request.body)
    expect(form.get('bt_payload')).toMatch(/\n$/)
    form.set('bt_payload', form.get('bt_payload')?.trimEnd() ?? '')
    const whole = await adapter.verifyNotification(request)
    expect(await adapter.verifyNotification({ ...request, body: form.toString() })).toEqual(whole)
  })

  test('may have the signatures of other keys next to ours', async () => {
    const request = sample('dispute_won')
    const form = new URLSearchParams(request.body)
    form.set('bt_signature', `otherkey|${'a'.repeat(40)}&${form.get('bt_signature')}`)
    expect((await adapter.verifyNotification({ ...request, body: form.toString() })).type).toBe('dispute_won')
  })
})

test('the simulator signs for each account with the key pair of that account', async () => {
  const { simulator } = braintreeSubject
  await using running = await startSimulator(simulator)
  const { engine } = running
  const pairs = [simulator.homeSecretPayload, simulator.secretPayload]
  for (const [at, account] of [simulator.profile.homeAccount, simulator.externalIdentifier].entries()) {
    const order = JSON.stringify({ count: 1, account })
    await fetch(`${running.controlUrl}/disputes`, { method: 'POST', body: order })
    const [event] = engine.account(account).events.all()
    const { notification } = simulator.profile
    const signed = notification(
      engine,
      event as Anything,
      engine.signingSecretOf(account),
      Math.floor(Date.now() / 1000),
    )
    const verified = pairs.map(async (pair = {}) => {
      const secret = pair as unknown as typeof SECRET
      return connectTo(running.url, { secret, externalIdentifier: account }).verifyNotification(signed)
    })
    const [home, second] = (await Promise.allSettled(verified)).map(({ status }) => status === 'fulfilled')
    expect([home, second]).toEqual([at === 0, at === 1])
  }
})

describe('a notification is refused', () => {
  const refused = async (request: Parameters<typeof adapter.verifyNotification>[0], by = adapter) =>
    await expect((async () => by.verifyNotification(request))()).rejects.toMatchObject({ kind: 'invalid_request' })

  test('if it is more than a day old, because Braintree has stopped retrying by then', async () => {
    const late = connectTo('http://127.0.0.1:9', { now: () => new Date(Date.now() + 26 * 3_600_000) })
    await refused(sample('dispute_won'), late)
    const later = connectTo('http://127.0.0.1:9', { now: () => new Date(Date.now() + 24 * 3_600_000) })
    expect((await later.verifyNotification(sample('dispute_won'))).type).toBe('dispute_won')
  })

  test('if its time is in the future', async () => {
    await refused(
      sample('dispute_won'),
      connectTo('http://127.0.0.1:9', { now: () => new Date(Date.now() - 3_600_000) }),
    )
  })

  test('if another key pair signed it', async () => {
    const other = connectTo('http://127.0.0.1:9', { secret: { publicKey: 'other', secretKey: SECRET.secretKey } })
    await refused(sample('dispute_won'), other)
    await refused(sample('dispute_won'), connectTo('http://127.0.0.1:9', { secret: { ...SECRET, secretKey: 'other' } }))
  })

  test('if it is no form', async () => {
    await refused({ ...sample('dispute_won'), headers: { 'content-type': 'application/json' } })
  })

  test('if its payload contains characters that are not base64', async () => {
    const request = sample('dispute_won')
    await refused({ ...request, body: request.body.replace('bt_payload=', 'bt_payload=%00') })
  })
})

describe('the challenge for a new webhook address', () => {
  test('is returned with public key and signature', () => {
    expect(adapter.answerChallenge('20f9f8ed05f77439fe955c977e4c8a53')).toMatch(/^rcpdemo7k2m9q4x8\|[0-9a-f]{40}$/)
  })

  test.each(['', 'short', 'X'.repeat(24), 'a'.repeat(33)])('"%s" is refused', (challenge) => {
    expect(() => adapter.answerChallenge(challenge)).toThrow('bt_challenge')
  })
})
