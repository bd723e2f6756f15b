import { sql } from 'kysely'
import type { Database } from './connect.ts'
import { personHashes } from './persons.ts'
import { type KeyRing, open, seal, sealContext } from './seal.ts'

/** A client's key, which belongs to a credential and the merchant it acts on. */
export interface KeyOwner {
  credentialId: string
  merchantUuid: string | null
  key: string
}

export interface StoredAnswer {
  status: number
  body: string
}

export type Claim =
  | { kind: 'claimed' }
  | { kind: 'answered'; answer: StoredAnswer }
  | { kind: 'running' }
  | { kind: 'other_request' }

/** Hours that an answer is kept. */
const KEPT_HOURS = 24
/** Seconds after which a claim without an answer counts as abandoned: longer than any request may take. */
const ABANDONED_SECONDS = 60

/** Takes the key for this request, or says what it was used for. Expired and abandoned keys are free again. */
export async function claimIdempotencyKey(
  db: Database,
  ring: KeyRing,
  owner: KeyOwner,
  requestHash: Buffer,
): Promise<Claim> {
  const claimed = await sql`
    insert into idempotency_key as stored (credential_id, merchant_uuid, key, request_hash, expires_at)
    values (${owner.credentialId}, ${owner.merchantUuid}, ${owner.key}, ${requestHash},
      now() + make_interval(hours => ${KEPT_HOURS}))
    on conflict (credential_id, merchant_uuid, key) do update set
      request_hash = excluded.request_hash, status = null, answer_sealed = null, persons = '{}',
      created_at = now(), expires_at = excluded.expires_at
    where stored.expires_at <= now()
      or (stored.status is null and stored.created_at <= now() - make_interval(secs => ${ABANDONED_SECONDS})
        and stored.request_hash = excluded.request_hash)
    returning 1`.execute(db)
  if (claimed.rows.length > 0) return { kind: 'claimed' }
  const stored = await of(db, owner).select(['request_hash', 'status', 'answer_sealed']).executeTakeFirst()
  if (!stored) return { kind: 'running' }
  if (!stored.request_hash.equals(requestHash)) return { kind: 'other_request' }
  if (stored.status === null || stored.answer_sealed === null) return { kind: 'running' }
  const body = open(ring, stored.answer_sealed, sealContext.storedAnswer(owner.credentialId))
  return { kind: 'answered', answer: { status: stored.status, body } }
}

/** Keeps the answer. Inside the transaction of the change, so that the two can't come apart. */
export async function storeAnswer(db: Database, ring: KeyRing, owner: KeyOwner, answer: StoredAnswer): Promise<void> {
  await db
    .updateTable('idempotency_key')
    .set({
      status: answer.status,
      answer_sealed: seal(ring, answer.body, sealContext.storedAnswer(owner.credentialId)),
      persons: personHashes(ring, answer.body),
    })
    .where('credential_id', '=', owner.credentialId)
    .where('merchant_uuid', 'is not distinct from', owner.merchantUuid)
    .where('key', '=', owner.key)
    .execute()
}

/** Gives a claimed key back: nothing was done under it. */
export async function releaseIdempotencyKey(db: Database, owner: KeyOwner): Promise<void> {
  await db
    .deleteFrom('idempotency_key')
    .where('credential_id', '=', owner.credentialId)
    .where('merchant_uuid', 'is not distinct from', owner.merchantUuid)
    .where('key', '=', owner.key)
    .where('status', 'is', null)
    .execute()
}

const of = (db: Database, owner: KeyOwner) =>
  db
    .selectFrom('idempotency_key')
    .where('credential_id', '=', owner.credentialId)
    .where('merchant_uuid', 'is not distinct from', owner.merchantUuid)
    .where('key', '=', owner.key)
