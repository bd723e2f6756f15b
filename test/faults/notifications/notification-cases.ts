import { until } from '../../harness/until.ts'
import { addressOf, eventsOf, insist, keptOf } from '../ground/deliveries.ts'
import { holdAbout } from '../ground/holding.ts'
import { tellAgain } from '../ground/inbox.ts'
import { decide, expected, lastOf, type NotificationCase } from './notification-scene.ts'

/** Genuine deliveries that are repeated, late, early or out of order. */
export const CASES: Record<string, NotificationCase> = {
  ten_at_once: {
    title: 'the same delivery ten times at once',
    count: 3,
    async run(scene) {
      const { ground, connected, disputes } = scene
      const [record] = disputes
      if (!record) return ['there is no dispute']
      decide(scene, record, 'won')
      const [event] = lastOf(scene, record)
      const before = await keptOf(ground, connected)
      const problems = event ? await insist(ground, connected, Array(10).fill(event)) : ['the PSP has no event']
      return [...problems, ...expected('stored deliveries', (await keptOf(ground, connected)) - before, 1)]
    },
  },
  newest_first: {
    title: 'won before needs_response',
    count: 3,
    async run(scene) {
      const { ground, connected, disputes } = scene
      const problems: string[] = []
      for (const record of disputes) decide(scene, record, 'won')
      for (const event of eventsOf(ground, connected).toReversed())
        problems.push(...(await insist(ground, connected, [event])))
      return problems
    },
  },
  late_page: {
    title: 'a page read before the client accepted is stored after it',
    count: 3,
    async run(scene) {
      const { ground, connected, disputes } = scene
      const { integrationId, adapter } = connected
      const { db, call } = ground.stack
      const [record] = disputes
      if (!record) return ['there is no dispute']
      const engine = ground.engines[adapter]
      engine.change(record, (dispute) => engine.profile.setDeadline(dispute, engine.now() + 90 * 3_600))
      // Adyen reports the result of an acceptance by deliveries only.
      if (adapter === 'adyen')
        engine.subscriptions.add({ url: addressOf(ground, connected), account: connected.account })
      const held = holdAbout(ground.worker, 'poll.before_page', integrationId)
      await tellAgain(ground, connected, new Set([record.reference]))
      await until('the page is read', held.reached, { timeoutMs: 90_000 })
      const { id } = await db
        .selectFrom('chargeback')
        .select('id')
        .where('integration_id', '=', integrationId)
        .where('chargeback_id', '=', record.reference)
        .executeTakeFirstOrThrow()
      const asked = await call('POST', `/chargebacks/${id}/accept`)
      const end = () => call('GET', `/chargebacks/${id}/accept`).then(({ body }) => body.status)
      await until('it is accepted', end, { holds: (status) => status === 'succeeded', timeoutMs: 90_000 }).finally(
        held.release,
      )
      return expected('the response to the acceptance request', asked.status, 200)
    },
  },
  replayed: {
    title: 'an old delivery again, after a newer one',
    count: 1,
    async run(scene) {
      const { ground, connected, disputes } = scene
      const old = eventsOf(ground, connected)
      const problems = await insist(ground, connected, old)
      for (const record of disputes) decide(scene, record, 'lost')
      problems.push(...(await insist(ground, connected, eventsOf(ground, connected))))
      const before = await keptOf(ground, connected)
      problems.push(...(await insist(ground, connected, old)))
      return [...problems, ...expected('stored deliveries', await keptOf(ground, connected), before)]
    },
  },
  before_first_poll: {
    title: 'before the first poll has stored anything',
    count: 5,
    early: true,
    run: ({ ground, connected }) => insist(ground, connected, eventsOf(ground, connected)),
  },
  burst: {
    title: 'a thousand deliveries at once, each many times',
    count: 60,
    async run(scene) {
      const { ground, connected, disputes, reduced } = scene
      for (const [index, record] of disputes.entries()) if (index % 2 === 0) decide(scene, record, 'lost')
      const events = eventsOf(ground, connected)
      const wanted = reduced ? events.length : 1_000
      const many = Array.from({ length: wanted }, (_, index) => events[index % events.length]).flatMap(
        (one) => one ?? [],
      )
      const problems = await insist(ground, connected, many)
      const ids = new Set(events.map(({ id }) => id)).size
      return [...problems, ...expected('stored deliveries', await keptOf(ground, connected), Math.min(ids, wanted))]
    },
  },
}
