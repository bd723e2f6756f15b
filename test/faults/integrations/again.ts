import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../harness/until.ts'
import type { Connected } from '../ground/connected.ts'
import type { Ground } from '../ground/prepare.ts'
import { type AdapterName, controlOf } from '../ground/psps.ts'
import type { StrikeAct } from '../ground/strike-act.ts'
import { again, deactivate, verdictOn } from './second.ts'
import { askAs, ownParty } from './strangers.ts'

/** Time for the chargebacks to be adopted before held work is released; some of them are locked. */
const HELD_MS = 4_000

/**
 * Integrations are deactivated and their accounts connected again while commands are at their steps. The new
 * integrations adopt the chargebacks, and running commands continue through them.
 */
export const connectAgain: StrikeAct = async (ground, { release, about, chance }) => {
  const wrong: { adapter: AdapterName; sentence: string }[] = []
  const own = ownParty(ground)
  const moved = await Promise.all(
    about.map(async (former) => {
      const before = await idsOf(ground, former.integrationId)
      await deactivate(ground, own, former.integrationId)
      await pause(chance() * 300)
      const { status, body } = await askAs(ground, own, [
        'POST',
        '/integrations',
        again(ground, former, former.account),
      ])
      if (status !== 201) throw new Error(`${former.adapter} can't be connected again: ${status} ${body?.code}`)
      const now: Connected = { ...former, integrationId: body.integrationId }
      ground.keys.replaced(now, ground.keys.of(former))
      ground.connections.set(former.adapter, now)
      ground.others.add(former.integrationId)
      if (former.adapter === 'adyen') await Promise.all([unsubscribe(ground, former), subscribe(ground, now)])
      return { former, now, before }
    }),
  )
  const verified = Promise.all(moved.map(({ now }) => verdictOn(ground, now.integrationId)))
  await Promise.race([verified, pause(HELD_MS)])
  await release()
  await verified
  return async () => {
    for (const { former, now, before } of moved) {
      const broken = (sentence: string) => void wrong.push({ adapter: now.adapter, sentence })
      const row = await verdictOn(ground, now.integrationId)
      if (row?.status !== 'SUCCESSFUL') broken(`I3: connected again, it is ${row?.status}: ${row?.status_reason}`)
      const left = () => idsOf(ground, former.integrationId)
      const remaining = await until('every chargeback is adopted', left, { holds: (ids) => ids.length === 0 }).catch(
        left,
      )
      if (remaining.length > 0) broken(`I1: ${remaining.length} chargebacks stayed with the former integration`)
      const after = await idsOf(ground, now.integrationId)
      if (after.join() !== before.join())
        broken(
          `I1: ${before.length} chargebacks before, ${after.length} after it was connected again, or with other ids`,
        )
      const reported = await countReported(ground, now.integrationId)
      if (reported !== before.length) broken(`I10: the timelines report ${reported} that changed their integration`)
    }
    return wrong
  }
}

async function idsOf({ stack: { db } }: Ground, integrationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('chargeback')
    .select('id')
    .where('integration_id', '=', integrationId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Number of timeline events by which a chargeback moved to that integration. */
async function countReported({ stack: { db } }: Ground, integrationId: string): Promise<number> {
  const rows = await db.selectFrom('timeline_event').select('after').where('what', '=', 'integration changed').execute()
  return rows.filter(({ after }) => (after as { integrationId?: string } | null)?.integrationId === integrationId)
    .length
}

/** As the merchant does at the PSP: the address of deliveries contains the integration's id. */
export async function subscribe({ stack, keys }: Ground, connected: Connected): Promise<void> {
  const asked = { url: addressOf(stack, connected), secret: keys.of(connected).signing, backlog: true }
  await controlOf(stack, connected.adapter)('POST', '/subscriptions', asked)
}

export async function unsubscribe({ stack }: Ground, connected: Connected): Promise<void> {
  const control = controlOf(stack, connected.adapter)
  const { subscriptions } = await control<{ subscriptions: { id: string; url: string }[] }>('GET', '/subscriptions')
  for (const { id, url } of subscriptions)
    if (url === addressOf(stack, connected)) await control('DELETE', `/subscriptions/${id}`)
}

const addressOf = ({ apis }: Ground['stack'], { integrationId }: Connected) =>
  `${apis.at(-1)?.url}/v1/notifications/${integrationId}`
