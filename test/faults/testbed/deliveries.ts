import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '../../../simulators/engine/contract.ts'
import { deliver } from '../../../simulators/engine/deliver.ts'
import { type Connected, secretOf } from './connected.ts'
import type { Testbed } from './prepare.ts'

/** Concurrent deliveries, as from a PSP with a backlog. */
const AT_ONCE = 8
/** Unix seconds. A Braintree delivery contains its time, so another time would be another delivery. */
const BEGAN = Math.floor(Date.now() / 1000)

export const SIGNING_SECRETS: Partial<Record<Connected['adapter'], string>> = {
  ...{ stripe: 'webhookSecret', adyen: 'hmac', recoup_sandbox: 'notificationSecret' },
}

export interface Signing {
  /** Signed with this instead of the integration's secret. */
  secret?: string
  /** Seconds ago. */
  age?: number
}

export const addressOf = ({ stack }: Testbed, { integrationId }: Connected) =>
  `${stack.apis.at(-1)?.url}/v1/notifications/${integrationId}`

/** The PSP's events about these disputes, or about all, oldest first. */
export function eventsOf({ engines }: Testbed, connected: Connected, references?: readonly string[]): EventRecord[] {
  return engines[connected.adapter]
    .account(connected.account)
    .events.all()
    .filter(({ reference }) => references?.includes(reference) ?? true)
    .toSorted((a, b) => a.sequence - b.sequence)
}

function signed({ engines }: Testbed, { adapter, account }: Connected, event: EventRecord, signing: Signing) {
  const { profile } = engines[adapter]
  const { webhookId, secretKey } = secretOf(adapter, account)
  const own = { paypal: webhookId, braintree: secretKey }[adapter as string] ?? profile.notificationSecret
  const at = adapter === 'braintree' ? BEGAN : Math.floor(Date.now() / 1000) - (signing.age ?? 0)
  return { event, ...profile.notification(engines[adapter], event, signing.secret ?? own, at) }
}

/** One attempt of a delivery. @returns the HTTP status; null = no response */
export async function tell(
  testbed: Testbed,
  connected: Connected,
  event: EventRecord,
  signing: Signing = {},
): Promise<number | null> {
  return (await deliver(addressOf(testbed, connected), signed(testbed, connected, event, signing))).status
}

/** Delivers as PSPs do: concurrently, and again until accepted. @returns the definite refusals */
export async function insist(
  testbed: Testbed,
  connected: Connected,
  events: readonly EventRecord[],
): Promise<string[]> {
  const refused: string[] = []
  const queue = [...events]
  const sender = async () => {
    for (let event = queue.shift(); event; event = queue.shift()) {
      let status: number | null = null
      for (const end = Date.now() + 90_000; Date.now() < end; await pause(250)) {
        status = await tell(testbed, connected, event)
        if (status !== null && status < 500 && status !== 429) break
      }
      if (status !== 200) refused.push(`a genuine delivery got ${status}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  return refused.slice(0, 3)
}

/** Number of stored deliveries. */
export async function storedDeliveries({ stack }: Testbed, { integrationId }: Connected): Promise<number> {
  const rows = await stack.db
    .selectFrom('notification')
    .select('notification_id')
    .where('integration_id', '=', integrationId)
    .where('notification_id', 'not like', 'note:%')
    .execute()
  return rows.length
}
