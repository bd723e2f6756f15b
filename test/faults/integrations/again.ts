import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../harness/until.ts'
import type { Connected } from '../testbed/connected.ts'
import type { FaultAction } from '../testbed/fault-action.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { type AdapterName, controlOf } from '../testbed/psps.ts'
import { again, checkResult, deactivate } from './second.ts'
import { askAs, ownParty } from './strangers.ts'

/** Time for the chargebacks to be adopted before held work is released; some of them are locked. */
const HELD_MS = 4_000

/**
 * Integrations are deactivated and their accounts connected again while commands are at their steps. The new
 * integrations adopt the chargebacks, and running commands continue through them.
 */
export const connectAgain: FaultAction = async (testbed, { release, about, chance }) => {
  const wrong: { adapter: AdapterName; sentence: string }[] = []
  const own = ownParty(testbed)
  const moved = await Promise.all(
    about.map(async (former) => {
      const before = await idsOf(testbed, former.integrationId)
      await deactivate(testbed, own, former.integrationId)
      await pause(chance() * 300)
      const { status, body } = await askAs(testbed, own, [
        'POST',
        '/integrations',
        again(testbed, former, former.account),
      ])
      if (status !== 201) throw new Error(`${former.adapter} can't be connected again: ${status} ${body?.code}`)
      const now: Connected = { ...former, integrationId: body.integrationId }
      testbed.keys.replaced(now, testbed.keys.of(former))
      testbed.connections.set(former.adapter, now)
      testbed.others.add(former.integrationId)
      if (former.adapter === 'adyen') await Promise.all([unsubscribe(testbed, former), subscribe(testbed, now)])
      return { former, now, before }
    }),
  )
  const verified = Promise.all(moved.map(({ now }) => checkResult(testbed, now.integrationId)))
  await Promise.race([verified, pause(HELD_MS)])
  await release()
  await verified
  return async () => {
    for (const { former, now, before } of moved) {
      const broken = (sentence: string) => void wrong.push({ adapter: now.adapter, sentence })
      const row = await checkResult(testbed, now.integrationId)
      if (row?.status !== 'SUCCESSFUL') broken(`I3: connected again, it is ${row?.status}: ${row?.status_reason}`)
      const left = () => idsOf(testbed, former.integrationId)
      const remaining = await until('every chargeback is adopted', left, { holds: (ids) => ids.length === 0 }).catch(
        left,
      )
      if (remaining.length > 0) broken(`I1: ${remaining.length} chargebacks stayed with the former integration`)
      const after = await idsOf(testbed, now.integrationId)
      if (after.join() !== before.join())
        broken(
          `I1: ${before.length} chargebacks before, ${after.length} after it was connected again, or with other ids`,
        )
      const reported = await countReported(testbed, now.integrationId)
      if (reported !== before.length) broken(`I10: the timelines report ${reported} that changed their integration`)
    }
    return wrong
  }
}

async function idsOf({ stack: { db } }: Testbed, integrationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('chargeback')
    .select('id')
    .where('integration_id', '=', integrationId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Number of timeline events by which a chargeback moved to that integration. */
async function countReported({ stack: { db } }: Testbed, integrationId: string): Promise<number> {
  const rows = await db.selectFrom('timeline_event').select('after').where('what', '=', 'integration changed').execute()
  return rows.filter(({ after }) => (after as { integrationId?: string } | null)?.integrationId === integrationId)
    .length
}

/** As the merchant does at the PSP: the address of deliveries contains the integration's id. */
export async function subscribe({ stack, keys }: Testbed, connected: Connected): Promise<void> {
  const asked = { url: addressOf(stack, connected), secret: keys.of(connected).signing, backlog: true }
  await controlOf(stack, connected.adapter)('POST', '/subscriptions', asked)
}

export async function unsubscribe({ stack }: Testbed, connected: Connected): Promise<void> {
  const control = controlOf(stack, connected.adapter)
  const { subscriptions } = await control<{ subscriptions: { id: string; url: string }[] }>('GET', '/subscriptions')
  for (const { id, url } of subscriptions)
    if (url === addressOf(stack, connected)) await control('DELETE', `/subscriptions/${id}`)
}

const addressOf = ({ apis }: Testbed['stack'], { integrationId }: Connected) =>
  `${apis.at(-1)?.url}/v1/notifications/${integrationId}`
