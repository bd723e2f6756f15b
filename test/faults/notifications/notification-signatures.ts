import { seal, sealContext } from '../../../db/core/seal.ts'
import { secretOf } from '../ground/connected.ts'
import { eventsOf, insist, keptOf, SIGNING_SECRETS, tell } from '../ground/deliveries.ts'
import type { AdapterName } from '../ground/psps.ts'
import { decide, expected, lastOf, type NotificationCase, type Scene } from './notification-scene.ts'

/** A forged delivery gets 401 and is not stored. */
async function refused(scene: Scene, send: () => Promise<(number | null)[]>): Promise<string[]> {
  const { ground, connected } = scene
  const before = await keptOf(ground, connected)
  const statuses = await send()
  return [
    ...expected('responses to forged deliveries', [...new Set(statuses)], [401]),
    ...expected('stored deliveries', await keptOf(ground, connected), before),
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
    run: (scene) =>
      refused(scene, () =>
        Promise.all(
          eventsOf(scene.ground, scene.connected).map((event) =>
            tell(scene.ground, scene.connected, event, { age: 600 }),
          ),
        ),
      ),
  },
  wrong_key: {
    title: 'signed with another key',
    count: 1,
    run: (scene) =>
      refused(scene, () =>
        Promise.all(
          eventsOf(scene.ground, scene.connected).map((event) =>
            tell(scene.ground, scene.connected, event, { secret: otherSecret(scene.connected.adapter) }),
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
    async run(scene) {
      const { ground, connected, disputes } = scene
      const problems = await insist(ground, connected, eventsOf(ground, connected))
      const secret = otherSecret(connected.adapter)
      await giveSecret(scene, secret)
      for (const record of disputes) decide(scene, record, 'lost')
      const events = disputes.flatMap((record) => lastOf(scene, record))
      const all = (signing: { secret?: string }) =>
        Promise.all(events.map((event) => tell(ground, connected, event, signing)))
      problems.push(...(await refused(scene, () => all({}))))
      return [...problems, ...expected('responses to the new key', [...new Set(await all({ secret }))], [200])]
    },
  },
}

const otherSecret = (adapter: AdapterName) =>
  adapter === 'adyen' ? 'AB'.repeat(32) : 'whsec_somebodyelse5f2b8c7d9e1a4f6b'

/** As if the merchant had entered the PSP's new key. */
async function giveSecret({ ground, connected }: Scene, secret: string): Promise<void> {
  const { integrationId, adapter, account } = connected
  const { db, ring, merchantUuid } = ground.stack
  const payload = { ...secretOf(adapter, account), [SIGNING_SECRETS[adapter] as string]: secret }
  const context = sealContext.integrationSecret({ integrationId, source: adapter, merchantUuid })
  await db
    .updateTable('integration')
    .set({ secret_sealed: seal(ring, JSON.stringify(payload), context) })
    .where('integration_id', '=', integrationId)
    .execute()
}
