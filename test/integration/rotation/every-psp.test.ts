import { BraintreeGateway, Environment } from 'braintree'
import { describe, expect, test } from 'vitest'
import type { Subject } from '../../../adapters/conformance/subject.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { open, sealContext } from '../../../db/core/seal.ts'
import { DEMO_MERCHANT, keysOfMerchant, SECOND_MERCHANT, VIEW_ONLY_KEYS } from '../../../simulators/braintree/keys.ts'
import { CLIENT_SECRET, clientIdOf, LIMITED_CLIENT, SECOND_ACCOUNT } from '../../../simulators/paypal/keys.ts'
import { FOREIGN_KEY, NEXT_KEY } from '../../../simulators/stripe/keys.ts'
import { openFixture } from '../notifications/psp-fixture.ts'

type Fixture = Awaited<ReturnType<typeof openFixture>>

const OTHERS = keysOfMerchant(SECOND_MERCHANT)
const OTHER_HMAC = 'A1'.repeat(32)

/** A second credential of the account, its signing secret, and a credential of another account if there is one. */
const SECOND: Record<
  string,
  {
    payload: Record<string, string>
    signing: string
    foreign?: Record<string, string>
    /** The error code if the adapter itself refuses the foreign credential. */
    foreignCode?: string
  }
> = {
  stripe: {
    payload: { apiKey: NEXT_KEY, webhookSecret: 'whsec_second' },
    signing: 'whsec_second',
    foreign: { apiKey: FOREIGN_KEY },
  },
  paypal: {
    payload: { clientId: LIMITED_CLIENT, clientSecret: CLIENT_SECRET, webhookId: 'WH-SECOND' },
    signing: 'WH-SECOND',
    foreign: { clientId: clientIdOf(SECOND_ACCOUNT), clientSecret: CLIENT_SECRET },
    foreignCode: 'secret_refused',
  },
  braintree: {
    payload: { publicKey: VIEW_ONLY_KEYS.publicKey, secretKey: VIEW_ONLY_KEYS.privateKey },
    signing: VIEW_ONLY_KEYS.privateKey,
    foreign: { publicKey: OTHERS.publicKey, secretKey: OTHERS.privateKey },
    foreignCode: 'secret_refused',
  },
  // Without a foreign one: an Adyen key may cover many accounts, and each sandbox integration is its own account.
  adyen: { payload: { hmac: OTHER_HMAC }, signing: OTHER_HMAC },
  recoup_sandbox: { payload: { apiKey: 'second-key', notificationSecret: 'second-secret' }, signing: 'second-secret' },
}

const homePayload = ({ simulator, notificationSecret }: Subject): Record<string, string> => ({
  ...(notificationSecret && { [notificationSecret]: simulator.profile.notificationSecret }),
  ...(simulator.homeSecretPayload ?? simulator.secretPayload),
})

const rowOf = (fixture: Fixture, id: string) =>
  fixture.stage.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const patch = (fixture: Fixture, id: string, body: object) =>
  fixture.stage.call('PATCH', `/v1/integrations/${id}`, { body })
const candidates = (fixture: Fixture) =>
  fixture.stage.db.selectFrom('secret_rotation').selectAll().where('secret_sealed', 'is not', null).execute()

/** Status of a delivery that the PSP signs with that secret. */
async function delivered(fixture: Fixture, url: string, ref: string, secret: string): Promise<number | undefined> {
  if (secret !== VIEW_ONLY_KEYS.privateKey)
    return (await fixture.control('/notifications', { url, ref, count: 1, secret })).deliveries[0]?.status
  const gateway = new BraintreeGateway({
    environment: Environment.Sandbox,
    merchantId: DEMO_MERCHANT,
    ...VIEW_ONLY_KEYS,
  })
  const { bt_signature, bt_payload } = await gateway.webhookTesting.sampleNotification('dispute_opened', ref)
  const body = new URLSearchParams({ bt_signature, bt_payload })
  return (await fetch(url, { method: 'POST', body })).status
}

describe.each(SUBJECTS.map((subject) => [subject.definition.source, subject] as const))(
  'the secret of %s',
  (source, subject) => {
    const { definition, simulator } = subject
    const second = SECOND[source] as (typeof SECOND)[string]
    const next = { ...homePayload(subject), ...second.payload }

    test('is replaced; both verify notifications during the overlap, then only the new one', async () => {
      await using fixture = await openFixture(subject)
      const { integrationId, url } = await fixture.integrate()
      const { disputes } = await fixture.control('/disputes', { count: 2, status: 'needs_response' })
      const ref = disputes[0]?.ref as string
      await fixture.poll(integrationId)
      const before = await rowOf(fixture, integrationId)
      expect(await delivered(fixture, url, ref, simulator.profile.notificationSecret)).toBe(200)
      expect(await delivered(fixture, url, ref, second.signing)).toBe(401)

      const response = await patch(fixture, integrationId, { secretPayload: next, integrationName: 'Renamed' })
      expect(response).toMatchObject({ status: 200, body: { integrationId, status: 'SUCCESSFUL' } })
      expect(response.text).not.toContain(second.signing)
      const after = await rowOf(fixture, integrationId)
      expect(after).toMatchObject({
        integration_name: 'Renamed',
        cursor: before.cursor,
        psp_account: before.psp_account,
      })
      expect(after.secret_replaced_at).toBeInstanceOf(Date)
      const context = { integrationId, source: definition.source, merchantUuid: fixture.stage.merchantUuid }
      expect(JSON.parse(open(fixture.stage.ring, after.secret_sealed, sealContext.integrationSecret(context)))).toEqual(
        next,
      )
      expect(await candidates(fixture)).toEqual([])

      const [kept] = await fixture.stage.db.selectFrom('kept_verification').selectAll().execute()
      const opened = JSON.parse(
        open(fixture.stage.ring, kept?.sealed as string, sealContext.keptVerification(kept?.rotation_id as string)),
      )
      expect(definition.secrets[simulator.secretType]?.notificationFields).toEqual(Object.keys(opened))
      const hours = ((kept?.accepted_until.getTime() ?? 0) - (after.secret_replaced_at?.getTime() ?? 0)) / 3_600_000
      expect(hours).toBeCloseTo(24)
      expect(await delivered(fixture, url, ref, simulator.profile.notificationSecret)).toBe(200)
      expect(await delivered(fixture, url, ref, second.signing)).toBe(200)
      expect((await fixture.control('/notifications', { url, ref, mutate: 'forged' })).deliveries[0]?.status).toBe(401)

      await fixture.stage.db.updateTable('kept_verification').set({ accepted_until: new Date() }).execute()
      expect(await delivered(fixture, url, ref, simulator.profile.notificationSecret)).toBe(401)
      expect(await delivered(fixture, url, ref, second.signing)).toBe(200)
      expect(await fixture.sweep()).toBe(1)
      expect(await fixture.stage.db.selectFrom('kept_verification').selectAll().execute()).toEqual([])
      await fixture.poll(integrationId)
      const own = (await fixture.chargebacks(integrationId)).map((one) => one.chargeback_id)
      if (definition.capabilities.listing !== 'inbox') expect(own).toEqual(disputes.map((one) => one.ref).sort())
      else expect(own).toEqual([ref])
    })

    test('stays, like the whole integration, if the new one is refused', async () => {
      await using fixture = await openFixture(subject)
      const { integrationId, url } = await fixture.integrate()
      const { disputes } = await fixture.control('/disputes', { count: 1, status: 'needs_response' })
      await fixture.poll(integrationId)
      const { notification_at: _, ...before } = await rowOf(fixture, integrationId)
      const own = homePayload(subject)
      const [malformed] = subject.malformedSecrets
      const refusals: [Record<string, string> | undefined, string | RegExp][] = [
        [{ ...own, ...simulator.refusedSecretPayload }, 'secret_refused'],
        [{ ...own, ...simulator.restrictedSecretPayload }, 'permission_missing'],
        [malformed, /configuration_invalid|validation_failed/],
        [second.foreign && { ...own, ...second.foreign }, second.foreignCode ?? 'other_psp_account'],
      ]
      for (const [secretPayload, code] of refusals) {
        if (!secretPayload) continue
        const response = await patch(fixture, integrationId, { secretPayload, integrationName: 'Never' })
        expect(response.status).toBe(400)
        expect(response.body.code).toEqual(typeof code === 'string' ? code : expect.stringMatching(code))
        expect(response.body.message).toMatch(/^.{20,400}[.)]?$/)
        for (const value of Object.values(secretPayload))
          if (value.length > 8) expect(response.text).not.toContain(value)
      }
      const { notification_at: __, ...after } = await rowOf(fixture, integrationId)
      expect(after).toEqual(before)
      expect(await candidates(fixture)).toEqual([])
      expect(await fixture.stage.db.selectFrom('kept_verification').selectAll().execute()).toEqual([])
      const signing = simulator.profile.notificationSecret
      expect(await delivered(fixture, url, disputes[0]?.ref as string, signing)).toBe(200)
    })
  },
)
