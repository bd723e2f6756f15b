import { until } from '../../harness/until.ts'
import { addressOf, eventsOf, insist, storedDeliveries } from '../testbed/deliveries.ts'
import { holdAbout } from '../testbed/holding.ts'
import { tellAgain } from '../testbed/inbox.ts'
import { decide, expected, lastOf, type NotificationCase } from './notification-fixture.ts'

/** Genuine deliveries that are repeated, late, early or out of order. */
export const CASES: Record<string, NotificationCase> = {
  ten_at_once: {
    title: 'the same delivery ten times at once',
    count: 3,
    async run(fixture) {
      const { testbed, connected, disputes } = fixture
      const [record] = disputes
      if (!record) return ['there is no dispute']
      decide(fixture, record, 'won')
      const [event] = lastOf(fixture, record)
      const before = await storedDeliveries(testbed, connected)
      const problems = event ? await insist(testbed, connected, Array(10).fill(event)) : ['the PSP has no event']
      return [...problems, ...expected('stored deliveries', (await storedDeliveries(testbed, connected)) - before, 1)]
    },
  },
  newest_first: {
    title: 'won before needs_response',
    count: 3,
    async run(fixture) {
      const { testbed, connected, disputes } = fixture
      const problems: string[] = []
      for (const record of disputes) decide(fixture, record, 'won')
      for (const event of eventsOf(testbed, connected).toReversed())
        problems.push(...(await insist(testbed, connected, [event])))
      return problems
    },
  },
  late_page: {
    title: 'a page read before the client accepted is stored after it',
    count: 3,
    async run(fixture) {
      const { testbed, connected, disputes } = fixture
      const { integrationId, adapter } = connected
      const { db, call } = testbed.stack
      const [record] = disputes
      if (!record) return ['there is no dispute']
      const engine = testbed.engines[adapter]
      engine.change(record, (dispute) => engine.profile.setDeadline(dispute, engine.now() + 90 * 3_600))
      // Adyen reports the result of an acceptance by deliveries only.
      if (adapter === 'adyen')
        engine.subscriptions.add({ url: addressOf(testbed, connected), account: connected.account })
      const held = holdAbout(testbed.worker, 'poll.before_page', integrationId)
      await tellAgain(testbed, connected, new Set([record.reference]))
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
    async run(fixture) {
      const { testbed, connected, disputes } = fixture
      const old = eventsOf(testbed, connected)
      const problems = await insist(testbed, connected, old)
      for (const record of disputes) decide(fixture, record, 'lost')
      problems.push(...(await insist(testbed, connected, eventsOf(testbed, connected))))
      const before = await storedDeliveries(testbed, connected)
      problems.push(...(await insist(testbed, connected, old)))
      return [...problems, ...expected('stored deliveries', await storedDeliveries(testbed, connected), before)]
    },
  },
  before_first_poll: {
    title: 'before the first poll has stored anything',
    count: 5,
    early: true,
    run: ({ testbed, connected }) => insist(testbed, connected, eventsOf(testbed, connected)),
  },
  burst: {
    title: 'a thousand deliveries at once, each many times',
    count: 60,
    async run(fixture) {
      const { testbed, connected, disputes, reduced } = fixture
      for (const [index, record] of disputes.entries()) if (index % 2 === 0) decide(fixture, record, 'lost')
      const events = eventsOf(testbed, connected)
      const wanted = reduced ? events.length : 1_000
      const many = Array.from({ length: wanted }, (_, index) => events[index % events.length]).flatMap(
        (one) => one ?? [],
      )
      const problems = await insist(testbed, connected, many)
      const ids = new Set(events.map(({ id }) => id)).size
      return [
        ...problems,
        ...expected('stored deliveries', await storedDeliveries(testbed, connected), Math.min(ids, wanted)),
      ]
    },
  },
}
