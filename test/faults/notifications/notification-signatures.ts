import { seal, sealContext } from '../../../db/core/seal.ts'
import { secretOf } from '../testbed/connected.ts'
import { eventsOf, insist, SIGNING_SECRETS, storedDeliveries, tell } from '../testbed/deliveries.ts'
import type { AdapterName } from '../testbed/psps.ts'
import { decide, expected, type Fixture, lastOf, type NotificationCase } from './notification-fixture.ts'

/** A forged delivery gets 401 and is not stored. */
async function refused(fixture: Fixture, send: () => Promise<(number | null)[]>): Promise<string[]> {
  const { testbed, connected } = fixture
  const before = await storedDeliveries(testbed, connected)
  const statuses = await send()
  return [
    ...expected('responses to forged deliveries', [...new Set(statuses)], [401]),
    ...expected('stored deliveries', await storedDeliveries(testbed, connected), before),
  ]
}

const TIMELESS: Partial<Record<AdapterName, string>> = {
  paypal: 'its signature is not bound to a time: deliveries are repeated for days with their first signature',
  braintree: 'its signature carries no time, and deliveries are repeated for a day',
  adyen: 'its signature carries no time, and deliveries are repeated for 30 days',
}

/** Deliveries with an invalid signature. */
export const SIGNATURES: Record<string, NotificationCase> = {
  old_signature: {
    title: 'a signature from ten minutes ago',
    count: 1,
    missing: (adapter) => TIMELESS[adapter] ?? null,
    run: (fixture) =>
      refused(fixture, () =>
        Promise.all(
          eventsOf(fixture.testbed, fixture.connected).map((event) =>
            tell(fixture.testbed, fixture.connected, event, { age: 600 }),
          ),
        ),
      ),
  },
  wrong_key: {
    title: 'signed with another key',
    count: 1,
    run: (fixture) =>
      refused(fixture, () =>
        Promise.all(
          eventsOf(fixture.testbed, fixture.connected).map((event) =>
            tell(fixture.testbed, fixture.connected, event, { secret: otherSecret(fixture.connected.adapter) }),
          ),
        ),
      ),
  },
  rotated_key: {
    title: 'the key is rotated: the old one is refused, the new one is accepted',
    count: 1,
    missing: (adapter) =>
      SIGNING_SECRETS[adapter]
        ? null
        : 'it is signed with the credential, or verified by the PSP: there is no separate key',
    async run(fixture) {
      const { testbed, connected, disputes } = fixture
      const problems = await insist(testbed, connected, eventsOf(testbed, connected))
      const secret = otherSecret(connected.adapter)
      await giveSecret(fixture, secret)
      for (const record of disputes) decide(fixture, record, 'lost')
      const events = disputes.flatMap((record) => lastOf(fixture, record))
      const all = (signing: { secret?: string }) =>
        Promise.all(events.map((event) => tell(testbed, connected, event, signing)))
      problems.push(...(await refused(fixture, () => all({}))))
      return [...problems, ...expected('responses to the new key', [...new Set(await all({ secret }))], [200])]
    },
  },
}

const otherSecret = (adapter: AdapterName) =>
  adapter === 'adyen' ? 'AB'.repeat(32) : 'whsec_somebodyelse5f2b8c7d9e1a4f6b'

/** As if the merchant had entered the PSP's new key. */
async function giveSecret({ testbed, connected }: Fixture, secret: string): Promise<void> {
  const { integrationId, adapter, account } = connected
  const { db, ring, merchantUuid } = testbed.stack
  const payload = { ...secretOf(adapter, account), [SIGNING_SECRETS[adapter] as string]: secret }
  const context = sealContext.integrationSecret({ integrationId, source: adapter, merchantUuid })
  await db
    .updateTable('integration')
    .set({ secret_sealed: seal(ring, JSON.stringify(payload), context) })
    .where('integration_id', '=', integrationId)
    .execute()
}
