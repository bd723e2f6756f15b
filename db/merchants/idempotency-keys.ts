import { sql } from 'kysely'
import { ACCOUNT_DEFAULTS } from '../../domain/accounts/account-settings.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { setting } from '../core/setting.ts'
import { personHashes } from '../erasure/persons.ts'

/** The scope of a client's key: a credential and the merchant it acts on. */
export interface KeyOwner {
  credentialId: string
  merchantUuid: string | null
  key: string
}

/** A key claimed by a request. Another request may claim it after this one was abandoned. */
export interface HeldKey extends KeyOwner {
  /** Postgres' time, as text. */
  claimedAt: string
}

export interface StoredResponse {
  status: number
  body: string
}

export type Claim =
  | { kind: 'claimed'; held: HeldKey }
  | { kind: 'completed'; response: StoredResponse }
  | { kind: 'running' }
  | { kind: 'other_request' }

/** Seconds after which a claim without a response counts as abandoned: longer than any request takes. */
const ABANDONED_SECONDS = 60

/** Claims the key for this request, or returns its earlier use. Expired and abandoned keys are free again. */
export async function claimIdempotencyKey(
  db: Database,
  ring: KeyRing,
  owner: KeyOwner,
  requestHash: Buffer,
): Promise<Claim> {
  const claimed = await sql<{ claimedAt: string }>`
    insert into idempotency_key as stored (credential_id, merchant_uuid, key, request_hash, expires_at)
    values (${owner.credentialId}, ${owner.merchantUuid}, ${owner.key}, ${requestHash},
      now() + interval '1 hour' * coalesce((select ${setting('a', 'idempotencyHours')} from credential k
        join account a on a.account_id = k.account_id where k.credential_id = ${owner.credentialId}),
        ${ACCOUNT_DEFAULTS.idempotencyHours}))
    on conflict (credential_id, merchant_uuid, key) do update set
      request_hash = excluded.request_hash, status = null, answer_sealed = null, persons = '{}',
      created_at = now(), expires_at = excluded.expires_at
    where stored.expires_at <= now()
      or (stored.status is null and stored.created_at <= now() - make_interval(secs => ${ABANDONED_SECONDS})
        and stored.request_hash = excluded.request_hash)
    returning created_at::text as "claimedAt"`.execute(db)
  if (claimed.rows[0]) return { kind: 'claimed', held: { ...owner, ...claimed.rows[0] } }
  const stored = await of(db, owner).select(['request_hash', 'status', 'answer_sealed']).executeTakeFirst()
  if (!stored) return { kind: 'running' }
  if (!stored.request_hash.equals(requestHash)) return { kind: 'other_request' }
  if (stored.status === null || stored.answer_sealed === null) return { kind: 'running' }
  const body = open(ring, stored.answer_sealed, sealContext.storedAnswer(owner.credentialId))
  return { kind: 'completed', response: { status: stored.status, body } }
}

/**
 * Stores the response in the transaction of the change, so that both commit or neither.
 * @returns false when another request has claimed the key: the caller must roll back
 */
export async function storeResponse(
  db: Database,
  ring: KeyRing,
  held: HeldKey,
  response: StoredResponse,
): Promise<boolean> {
  const stored = await db
    .updateTable('idempotency_key')
    .set({
      status: response.status,
      answer_sealed: seal(ring, response.body, sealContext.storedAnswer(held.credentialId)),
      persons: personHashes(ring, response.body),
    })
    .where('credential_id', '=', held.credentialId)
    .where('merchant_uuid', 'is not distinct from', held.merchantUuid)
    .where('key', '=', held.key)
    .where('created_at', '=', sql<Date>`${held.claimedAt}::timestamptz`)
    .executeTakeFirst()
  return stored.numUpdatedRows === 1n
}

/** Releases a claimed key, because nothing was done under it. */
export async function releaseIdempotencyKey(db: Database, held: HeldKey): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('credential_id', '=', held.credentialId)
    .where('merchant_uuid', 'is not distinct from', held.merchantUuid)
    .where('key', '=', held.key)
    .where('created_at', '=', sql<Date>`${held.claimedAt}::timestamptz`)
    .where('status', 'is', null)
    .execute()
}

/** Deletes expired keys, oldest first. @returns how many */
export async function forgetExpiredKeys(db: Database, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from idempotency_key where ctid = any(array(
      select ctid from idempotency_key where expires_at <= now() order by expires_at limit ${limit}
      for update skip locked))
    returning 1`.execute(db)
  return rows.length
}

const of = (db: Database, owner: KeyOwner) =>
  db
    .selectFrom('idempotency_key')
    .where('credential_id', '=', owner.credentialId)
    .where('merchant_uuid', 'is not distinct from', owner.merchantUuid)
    .where('key', '=', owner.key)
