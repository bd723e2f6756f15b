import { ImpossibleOrder } from './create.ts'
import { type Delivery, deliver } from './deliver.ts'
import type { DisputeEngine } from './engine.ts'

type Alteration = 'altered' | 'wrong_environment'

export interface NotificationOrder {
  url: string
  account: string
  ref?: string | undefined
  count: number
  mutate?: 'forged' | 'replayed' | 'reordered' | 'stale' | Alteration | undefined
  secret?: string | undefined
}

/**
 * Sends the newest `count` events (of `ref`), oldest first. `forged` signs with a wrong secret, `reordered` sends the
 * newest first, `stale` signs ten minutes ago, `replayed` sends one event `count` times (at least twice), all at once.
 * `altered` changes what is told and `wrong_environment` where it comes from, both where the signature does not look.
 */
export async function sendNotifications(engine: DisputeEngine, order: NotificationOrder): Promise<Delivery[]> {
  const { ref, mutate } = order
  const wanted = mutate === 'replayed' ? 1 : order.count
  const { items } = engine.account(order.account).events.page({
    limit: wanted,
    matches: ref === undefined ? undefined : (event) => event.reference === ref,
  })
  const events = mutate === 'reordered' ? items : items.toReversed()
  const secret = mutate === 'forged' ? 'whsec_somebodyelse' : (order.secret ?? engine.signingSecretOf(order.account))
  const signedAt = Math.floor(Date.now() / 1000) - (mutate === 'stale' ? 600 : 0)
  const deliveries = events.map((event) => {
    const { body, headers } = engine.profile.notification(engine, event, secret, signedAt)
    return { event, headers, body: alter(engine, body, mutate) }
  })
  const [first] = deliveries
  if (mutate === 'replayed' && first) {
    return Promise.all(Array.from({ length: Math.max(2, order.count) }, () => deliver(order.url, first)))
  }
  const sent: Delivery[] = []
  for (const delivery of deliveries) sent.push(await deliver(order.url, delivery))
  return sent
}

/** @throws ImpossibleOrder when the signature covers everything */
function alter(engine: DisputeEngine, body: string, mutate: NotificationOrder['mutate']): string {
  if (mutate !== 'altered' && mutate !== 'wrong_environment') return body
  const altered = engine.profile.alterNotification?.(body, mutate) ?? null
  if (altered === null) throw new ImpossibleOrder(`the signature of this PSP leaves nothing to be ${mutate}`)
  return altered
}
