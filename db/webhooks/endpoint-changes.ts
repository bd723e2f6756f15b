import { sql } from 'kysely'
import { type DisabledReason, type Payload, type Signature, TEST_EVENT } from '../../domain/webhooks/endpoint.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, seal, sealContext } from '../core/seal.ts'
import { type EndpointOwner, hostOf, joinKeys, lockEndpoint, recordChange } from './endpoints.ts'

/** Changes of endpoints by clients. Call each in a transaction. */

export interface EndpointChange {
  url?: string | undefined
  description?: string | null | undefined
  events?: readonly string[] | undefined
  payload?: Payload | undefined
  enabled?: boolean | undefined
}

interface Changed extends EndpointOwner {
  endpointId: string
  /** For the trail. */
  actor: string
}

/**
 * A new address, or enabling it, clears the failures: it is tried at once. What was not sent while it was disabled is
 * not sent later, unless it is replayed. @throws Refusal webhook_endpoint_not_found
 */
export async function changeEndpoint(db: Database, of: Changed, change: EndpointChange): Promise<void> {
  const { endpointId, actor } = of
  const before = await lockEndpoint(db, of, endpointId)
  const { url = null, events, payload = null, description, enabled } = change
  const isMoved = url !== null && url !== before.url
  const isEnabled = enabled === true && before.disabled
  await sql`
    update webhook_endpoint set url = coalesce(${url}, url), payload = coalesce(${payload}, payload),
      events = coalesce(${events === undefined ? null : [...events]}::text[], events),
      description = ${description === undefined ? sql`description` : description},
      disabled_at = case when ${isEnabled}::boolean then null else disabled_at end,
      disabled_reason = case when ${isEnabled}::boolean then null else disabled_reason end
    where endpoint_id = ${endpointId} and account_id = ${of.accountId}`.execute(db)
  if (isMoved || isEnabled)
    await sql`
      update webhook_endpoint set failures = 0, failing_since = null, not_before = null,
        due_at = (select now() where exists (
          select from webhook_delivery d where d.endpoint_id = ${endpointId} and d.state = 'pending'))
      where endpoint_id = ${endpointId} and account_id = ${of.accountId}`.execute(db)
  const told = {
    ...(isMoved && { host: { before: hostOf(before.url), after: hostOf(url) } }),
    ...(events && { events }),
    ...(payload && { payload }),
    ...(description !== undefined && { description: true }),
  }
  if (Object.keys(told).length > 0) await recordChange(db, { endpointId, actor, what: 'changed', details: told })
  if (isEnabled) await recordChange(db, { endpointId, actor, what: 'enabled' })
  if (enabled === false && !before.disabled) await disableEndpoint(db, { endpointId, actor, reason: 'requested' })
}

/** What waits is cancelled: it is in the log, and can be replayed. @returns false if it was disabled already */
export async function disableEndpoint(
  db: Database,
  { endpointId, actor, reason }: { endpointId: string; actor: string; reason: DisabledReason },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_endpoint set disabled_at = now(), disabled_reason = ${reason}, due_at = null, not_before = null
    where endpoint_id = ${endpointId} and disabled_at is null and deleted_at is null`.execute(db)
  if (numAffectedRows === 0n) return false
  await cancelPending(db, endpointId)
  await recordChange(db, { endpointId, actor, what: 'disabled', details: { reason } })
  return true
}

/** Its keys are erased. @throws Refusal webhook_endpoint_not_found */
export async function deleteEndpoint(db: Database, of: Changed): Promise<void> {
  const { endpointId, actor } = of
  await lockEndpoint(db, of, endpointId)
  await sql`
    update webhook_endpoint set deleted_at = now(), due_at = null, keys_sealed = null, old_keys_sealed = null,
      url = '', description = null where endpoint_id = ${endpointId} and account_id = ${of.accountId}`.execute(db)
  await cancelPending(db, endpointId)
  await recordChange(db, { endpointId, actor, what: 'deleted' })
}

async function cancelPending(db: Database, endpointId: string): Promise<void> {
  await sql`update webhook_delivery set state = 'cancelled', finished_at = now()
    where endpoint_id = ${endpointId} and state = 'pending'`.execute(db)
}

/** Cancels what a sequencer added while the endpoint was being disabled. Tests stay. */
export async function cancelLate(db: Database, endpointId: string): Promise<void> {
  await sql`update webhook_delivery set state = 'cancelled', finished_at = now()
    where endpoint_id = ${endpointId} and state = 'pending' and type <> ${TEST_EVENT}`.execute(db)
}

/**
 * The old keys also sign for so many seconds. At most two sets are in use: keys that a former rotation replaced end now.
 * @param newKeys makes keys of the endpoint's kind
 * @returns the new keys @throws Refusal webhook_endpoint_not_found
 */
export async function rotateKeys(
  db: Database,
  ring: KeyRing,
  of: Changed & { expireOldAfterSeconds: number },
  newKeys: (signature: Signature) => { keys: string[]; publicKey: string | null },
): Promise<{ keys: string[]; publicKey: string | null }> {
  const { endpointId, accountId, actor, expireOldAfterSeconds } = of
  const { signature } = await lockEndpoint(db, of, endpointId)
  const made = newKeys(signature)
  await sql`
    update webhook_endpoint set
      old_keys_sealed = case when ${expireOldAfterSeconds}::int > 0 then keys_sealed end,
      old_keys_until = case when ${expireOldAfterSeconds}::int > 0
        then now() + make_interval(secs => ${expireOldAfterSeconds}) end,
      keys_sealed = ${seal(ring, joinKeys(made.keys), sealContext.webhookEndpoint(endpointId, accountId))},
      public_key = ${made.publicKey}
    where endpoint_id = ${endpointId} and account_id = ${accountId}`.execute(db)
  await recordChange(db, { endpointId, actor, what: 'secret rotated', details: { expireOldAfterSeconds } })
  return made
}
