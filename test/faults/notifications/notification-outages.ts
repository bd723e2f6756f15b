import { createDisputes } from '../../../simulators/engine/create.ts'
import { until } from '../../harness/until.ts'
import { addressOf, eventsOf, insist, keptOf, tell } from '../ground/deliveries.ts'
import { killAtOnce } from '../ground/prepare.ts'
import { CASES } from './notification-cases.ts'
import type { NotificationCase, Scene } from './notification-scene.ts'
import { SIGNATURES } from './notification-signatures.ts'

/** The merchant is done with this PSP: nothing that still comes is taken, and what is known stays as it is. */
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
    await until(`it is INACTIVE (asked: ${asked.status})`, status, { holds: (one) => one === 'INACTIVE' })
    const before = await keptOf(ground, connected)
    const answers = await Promise.all(eventsOf(ground, connected).map((event) => tell(ground, connected, event)))
    if (answers.some((one) => one !== 401))
      problems.push(`I4: it was answered ${JSON.stringify(answers)} after its end`)
    if ((await keptOf(ground, connected)) !== before) problems.push('I4: a delivery after its end was kept')
    return problems
  },
}

/** Every case whose integrations are told of while everything runs. */
export const ALL_CASES: Record<string, NotificationCase> = { ...CASES, ...SIGNATURES, deactivated }

/** Nobody answers while disputes come and are decided; the PSP keeps all of it and delivers it at once. */
export const FLOOD = { key: 'api_down', title: 'the API is down, then everything comes at once', count: 20 } as const

/** All of them lose the API together. @returns sentences for each */
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
  await until('somebody knocks in vain', async () => {
    const refused = () => false
    return !(await fetch(addressOf(ground, first.connected)).then(() => true, refused))
  })
  await ground.startApi()
  return new Map(await Promise.all(flooded))
}
