import { until } from '../../harness/until.ts'
import { connectAccount, openAccount } from '../testbed/accounts.ts'
import type { Connected } from '../testbed/connected.ts'
import { addressOf } from '../testbed/deliveries.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { ADAPTERS } from '../testbed/psps.ts'

const INTEGRATIONS = 50
/** Disputes of each integration at the start. */
const DISPUTES = 40
/** Limit for the first polls, while faults are injected. */
const LOADED_MS = 600_000
/** Failed deliveries are sent again after at most half a minute. */
const DELIVERED_MS = 120_000

/** Ten integrations of each PSP, with webhooks as a merchant sets them up. */
export async function connectAll(testbed: Testbed): Promise<Connected[]> {
  const accounts: Connected[] = []
  for (let turn = 0; turn < INTEGRATIONS; turn++) {
    const adapter = ADAPTERS[turn % ADAPTERS.length] as Connected['adapter']
    const { account } = openAccount(testbed, adapter, { count: DISPUTES })
    const connected = await connectAccount(testbed, { adapter, account })
    const url = addressOf(testbed, connected)
    testbed.engines[adapter].subscriptions.add({ url, account, backlog: adapter === 'adyen' })
    accounts.push(connected)
  }
  return accounts
}

/** Waits until each list was read to its end once. @returns violations */
export async function firstPolled({ stack }: Testbed, accounts: readonly Connected[]): Promise<string[]> {
  const ids = accounts.map(({ integrationId }) => integrationId)
  const waiting = async () => {
    const rows = await stack.db
      .selectFrom('integration')
      .select(['external_identifier', 'poll_error'])
      .where('integration_id', 'in', ids)
      .where('last_successful_poll_at', 'is', null)
      .execute()
    return rows.map((row) => `I1: ${row.external_identifier} was not read to its end: ${row.poll_error}`)
  }
  return untilEmpty('every list was read to its end', waiting, LOADED_MS)
}

/** Waits until all events of the PSPs were delivered. @returns violations */
export async function allTold({ engines }: Testbed, accounts: readonly Connected[]): Promise<string[]> {
  const waiting = async () =>
    accounts
      .filter(({ adapter, account }) => {
        const { subscriptions, account: of } = engines[adapter]
        const newest = Math.max(
          0,
          ...of(account)
            .events.all()
            .map(({ sequence }) => sequence),
        )
        return subscriptions.list().some((one) => one.account === account && one.delivered < newest)
      })
      .map(({ account }) => `not all events of ${account} could be delivered`)
  return untilEmpty('all events are delivered', waiting, DELIVERED_MS)
}

async function untilEmpty(what: string, waiting: () => Promise<string[]>, timeoutMs: number): Promise<string[]> {
  return until(what, waiting, { holds: (sentences) => sentences.length === 0, timeoutMs }).catch(waiting)
}
