import { createDisputes } from '../../../simulators/engine/create.ts'
import { until } from '../../harness/until.ts'
import { addressOf, eventsOf, insist, storedDeliveries, tell } from '../testbed/deliveries.ts'
import { killAtOnce } from '../testbed/prepare.ts'
import { CASES } from './notification-cases.ts'
import type { Fixture, NotificationCase } from './notification-fixture.ts'
import { SIGNATURES } from './notification-signatures.ts'

/** After the deactivation deliveries are refused, and stored chargebacks stay unchanged. */
const deactivated: NotificationCase = {
  title: 'after the integration was deactivated',
  count: 2,
  async run({ testbed, connected }) {
    const { integrationId } = connected
    const { call, db } = testbed.stack
    const problems = await insist(testbed, connected, eventsOf(testbed, connected))
    const asked = await call('DELETE', `/integrations/${integrationId}`, {
      ...{ deactivationType: 'postingDate', deactivationDate: '2020-01-01T00:00:00Z' },
    })
    const status = async () => {
      const row = await db
        .selectFrom('integration')
        .select('status')
        .where('integration_id', '=', integrationId)
        .executeTakeFirstOrThrow()
      return row.status
    }
    await until(`it is INACTIVE (response: ${asked.status})`, status, { holds: (one) => one === 'INACTIVE' })
    const before = await storedDeliveries(testbed, connected)
    const statuses = await Promise.all(eventsOf(testbed, connected).map((event) => tell(testbed, connected, event)))
    if (statuses.some((one) => one !== 401))
      problems.push(`I4: deliveries after the deactivation got ${JSON.stringify(statuses)}`)
    if ((await storedDeliveries(testbed, connected)) !== before)
      problems.push('I4: a delivery after the deactivation was stored')
    return problems
  },
}

/** Every case with deliveries while everything is running. */
export const ALL_CASES: Record<string, NotificationCase> = { ...CASES, ...SIGNATURES, deactivated }

/** The API is down while disputes are opened and decided; then the PSP delivers everything at once. */
export const FLOOD = { key: 'api_down', title: 'the API is down, then all deliveries come at once', count: 20 } as const

/** Stops the API for all cases. @returns violations for each */
export async function flood(cases: readonly Fixture[]): Promise<Map<Fixture, string[]>> {
  const [first] = cases
  if (!first) return new Map()
  const { testbed } = first
  await killAtOnce(testbed.api.child.pid)
  for (const { connected, disputes } of cases) {
    const engine = testbed.engines[connected.adapter]
    for (const [index, record] of disputes.entries())
      engine.change(
        record,
        (dispute) => void engine.profile.decide(dispute, index % 2 === 0 ? 'won' : 'lost', engine.now()),
      )
    createDisputes(engine, { count: 10, account: connected.account, status: 'needs_response', stage: 'chargeback' })
  }
  const flooded = cases.map(async (fixture) => {
    const { connected } = fixture
    return [fixture, await insist(testbed, connected, eventsOf(testbed, connected))] as const
  })
  await until('a request fails', async () => {
    const refused = () => false
    return !(await fetch(addressOf(testbed, first.connected)).then(() => true, refused))
  })
  await testbed.startApi()
  return new Map(await Promise.all(flooded))
}
