import { createDisputes } from '../../../simulators/engine/create.ts'
import { until } from '../../harness/until.ts'
import { addressOf, eventsOf, insist, keptOf, tell } from '../ground/deliveries.ts'
import { killAtOnce } from '../ground/prepare.ts'
import { CASES } from './notification-cases.ts'
import type { NotificationCase, Scene } from './notification-scene.ts'
import { SIGNATURES } from './notification-signatures.ts'

/** After the deactivation deliveries are refused, and stored chargebacks stay unchanged. */
const deactivated: NotificationCase = {
  title: 'after the integration was deactivated',
  count: 2,
  async run({ ground, connected }) {
    const { integrationId } = connected
    const { call, db } = ground.stack
    const problems = await insist(ground, connected, eventsOf(ground, connected))
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
    const before = await keptOf(ground, connected)
    const statuses = await Promise.all(eventsOf(ground, connected).map((event) => tell(ground, connected, event)))
    if (statuses.some((one) => one !== 401))
      problems.push(`I4: deliveries after the deactivation got ${JSON.stringify(statuses)}`)
    if ((await keptOf(ground, connected)) !== before) problems.push('I4: a delivery after the deactivation was stored')
    return problems
  },
}

/** Every case with deliveries while everything is running. */
export const ALL_CASES: Record<string, NotificationCase> = { ...CASES, ...SIGNATURES, deactivated }

/** The API is down while disputes are opened and decided; then the PSP delivers everything at once. */
export const FLOOD = { key: 'api_down', title: 'the API is down, then all deliveries come at once', count: 20 } as const

/** Stops the API for all scenes. @returns violations for each */
export async function flood(scenes: readonly Scene[]): Promise<Map<Scene, string[]>> {
  const [first] = scenes
  if (!first) return new Map()
  const { ground } = first
  await killAtOnce(ground.api.child.pid)
  for (const { connected, disputes } of scenes) {
    const engine = ground.engines[connected.adapter]
    for (const [index, record] of disputes.entries())
      engine.change(
        record,
        (dispute) => void engine.profile.decide(dispute, index % 2 === 0 ? 'won' : 'lost', engine.now()),
      )
    createDisputes(engine, { count: 10, account: connected.account, status: 'needs_response', stage: 'chargeback' })
  }
  const flooded = scenes.map(async (scene) => {
    const { connected } = scene
    return [scene, await insist(ground, connected, eventsOf(ground, connected))] as const
  })
  await until('a request fails', async () => {
    const refused = () => false
    return !(await fetch(addressOf(ground, first.connected)).then(() => true, refused))
  })
  await ground.startApi()
  return new Map(await Promise.all(flooded))
}
