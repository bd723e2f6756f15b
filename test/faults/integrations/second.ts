import { setTimeout as pause } from 'node:timers/promises'
import { enqueue } from '../../../db/core/outbox.ts'
import { until } from '../../harness/until.ts'
import type { Connected } from '../testbed/connected.ts'
import type { FaultAction } from '../testbed/fault-action.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { type AdapterName, simulated } from '../testbed/psps.ts'
import { askAs, learnsNothing, newStranger, ownParty, type Party } from './strangers.ts'

const ELSEWHERE = 'The PSP account is connected elsewhere already. One account can be connected once.'
const VERDICT_MS = 60_000
/** Time for the second integrations to be checked before held work is released. */
const HELD_MS = 6_000

/** Another identifier of the same account, at PSPs that have such: it passes the check for duplicates. */
export const OTHER_NAMES: Partial<Record<AdapterName, string>> = { stripe: 'Main shop' }

/**
 * The same PSP accounts are connected a second time while commands are at their steps: by their own merchant, and by
 * another one. They are checked and polled; each must become FAILED with its reason, store nothing and see nothing.
 */
export const connectSecond: FaultAction = async (testbed, { release, about, disputes }) => {
  const wrong: { adapter: AdapterName; sentence: string }[] = []
  const stranger = await newStranger(testbed)
  const own = ownParty(testbed)
  const seconds: { connected: Connected; party: Party; integrationId: string }[] = []
  const connect = async (connected: Connected, party: Party, externalIdentifier: string) => {
    const { status, body } = await askAs(testbed, party, [
      'POST',
      '/integrations',
      again(testbed, connected, externalIdentifier),
    ])
    if (status === 201) seconds.push({ connected, party, integrationId: body.integrationId })
    return { status, code: body?.code }
  }
  for (const connected of about) {
    const { adapter, account } = connected
    const broken = (sentence: string) => void wrong.push({ adapter, sentence })
    const same = await connect(connected, own, account)
    if (same.code !== 'duplicate_integration')
      broken(`I2: the merchant's own second integration got ${same.status} ${same.code}`)
    const otherName = OTHER_NAMES[adapter]
    if (otherName) await connect(connected, own, otherName)
    const foreign = await connect(connected, stranger, account)
    if (foreign.status !== 201) broken(`another merchant's integration got ${foreign.status} ${foreign.code}`)
  }
  for (const { integrationId } of seconds) {
    testbed.others.add(integrationId)
    await enqueue(testbed.stack.db, { kind: 'poll_now', payload: { integrationId } })
  }
  const verified = Promise.all(seconds.map(({ integrationId }) => checkResult(testbed, integrationId)))
  await Promise.race([verified, pause(HELD_MS)])
  await release()
  await verified
  return async () => {
    for (const { connected, party, integrationId } of seconds) {
      const { adapter } = connected
      const broken = (sentence: string) => void wrong.push({ adapter, sentence })
      const row = await checkResult(testbed, integrationId)
      const reason = row?.status_reason ?? ''
      const named = party === stranger ? reason === ELSEWHERE : reason.includes(connected.integrationId)
      if (row?.status !== 'FAILED' || !named) broken(`I2: the second integration is ${row?.status}: ${reason}`)
      for (const table of await storedBy(testbed, integrationId)) broken(`I11: the second integration has ${table}`)
    }
    const integrationIds = seconds.filter(({ party }) => party === stranger).map(({ integrationId }) => integrationId)
    const learned = await learnsNothing(testbed, stranger, { integrationIds, disputes })
    for (const { integrationId, party } of seconds) await deactivate(testbed, party, integrationId)
    return [...wrong, ...learned.map((sentence) => ({ adapter: null, sentence }))]
  }
}

/** Request body that connects that account a second time. */
export function again({ keys }: Testbed, connected: Connected, externalIdentifier: string): Record<string, unknown> {
  const { adapter } = connected
  return {
    integrationName: `${adapter} once more`,
    source: adapter,
    secretType: simulated(adapter).definition.secretType,
    secretPayload: keys.of(connected).payload,
    externalIdentifier,
  }
}

export async function deactivate(testbed: Testbed, party: Party, integrationId: string): Promise<number | null> {
  const deactivation = { deactivationType: 'postingDate', deactivationDate: new Date().toISOString() }
  return (await askAs(testbed, party, ['DELETE', `/integrations/${integrationId}`, deactivation])).status
}

/** Waits until the integration was checked; returns it unchecked after a time-out. */
export function checkResult({ stack: { db } }: Testbed, integrationId: string) {
  const row = () =>
    db
      .selectFrom('integration')
      .select(['status', 'status_reason'])
      .where('integration_id', '=', integrationId)
      .executeTakeFirst()
  const verified = until('it has a verdict', row, { holds: (one) => one?.status !== 'PENDING', timeoutMs: VERDICT_MS })
  return verified.catch(row)
}

/** Tables that have rows of that integration. */
async function storedBy({ stack: { db } }: Testbed, integrationId: string): Promise<string[]> {
  const tables = ['chargeback', 'raw_object', 'quarantine', 'reread', 'notification'] as const
  const counts = await Promise.all(
    tables.map(async (table) => {
      const rows = await db
        .selectFrom(table as 'chargeback')
        .select(db.fn.countAll<string>().as('count'))
        .where('integration_id', '=', integrationId)
        .execute()
      return { table, count: Number(rows[0]?.count) }
    }),
  )
  return counts.filter(({ count }) => count > 0).map(({ table, count }) => `${count} rows in ${table}`)
}
