import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'

/** Held while a key is created, so that two concurrent first uses create one key. */
const CREATION_LOCK = 7_205_011

async function createSigningKey(db: Database, ring: KeyRing): Promise<{ kid: string; privateKey: KeyObject }> {
  const kid = randomBytes(12).toString('base64url')
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  await db
    .insertInto('signing_key')
    .values({
      kid,
      public_key: publicKey.export({ type: 'spki', format: 'pem' }) as string,
      private_key_sealed: seal(ring, pem, sealContext.signingKey(kid)),
    })
    .execute()
  return { kid, privateKey }
}

/** The key that signs new tokens: the newest one without a cut-off. Created on first use. */
export function currentSigningKey(db: Database, ring: KeyRing): Promise<{ kid: string; privateKey: KeyObject }> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${CREATION_LOCK})`.execute(trx)
    const row = await trx
      .selectFrom('signing_key')
      .select(['kid', 'private_key_sealed'])
      .where('retired_at', 'is', null)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!row) return createSigningKey(trx, ring)
    return {
      kid: row.kid,
      privateKey: createPrivateKey(open(ring, row.private_key_sealed, sealContext.signingKey(row.kid))),
    }
  })
}

/**
 * Creates a new key for all new tokens. Tokens of older keys stay valid until they expire, or until `cutOff`: from then
 * on every token of an older key is refused.
 */
export function rotateSigningKey(
  db: Database,
  ring: KeyRing,
  options: { cutOff?: Date | undefined } = {},
): Promise<{ kid: string; retired: string[] }> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(${CREATION_LOCK})`.execute(trx)
    const { cutOff } = options
    const older = cutOff
      ? await trx
          .updateTable('signing_key')
          .set({ retired_at: cutOff })
          .where((eb) => eb.or([eb('retired_at', 'is', null), eb('retired_at', '>', cutOff)]))
          .returning('kid')
          .execute()
      : []
    const { kid } = await createSigningKey(trx, ring)
    if (cutOff) await sql`update account set revocation_epoch = revocation_epoch + 1`.execute(trx)
    return { kid, retired: older.map((key) => key.kid) }
  })
}

export interface SigningKeyRecord {
  kid: string
  /** The newest key that is not retired `signs` new tokens; the others only `verifies` older ones, or are `retired`. */
  state: 'signs' | 'verifies' | 'retired'
  createdAt: Date
  /** Tokens of the key are invalid from then on; null = never. */
  retiredAt: Date | null
}

/** Newest first, without the keys themselves. */
export async function listSigningKeys(db: Database): Promise<SigningKeyRecord[]> {
  const { rows } = await sql<SigningKeyRecord>`
    select kid, case when retired_at <= now() then 'retired'
        when retired_at is null and created_at = (select max(created_at) from signing_key where retired_at is null)
        then 'signs' else 'verifies' end as state,
      created_at as "createdAt", retired_at as "retiredAt"
    from signing_key order by created_at desc, kid`.execute(db)
  return rows
}

export interface VerificationKey {
  /** SPKI, PEM. */
  publicKey: string
  /** Tokens of the key are invalid from then on; null = never. */
  retiredAt: Date | null
}

/** @returns null when no key has that id */
export async function readVerificationKey(db: Database, kid: string): Promise<VerificationKey | null> {
  const row = await db
    .selectFrom('signing_key')
    .select(['public_key', 'retired_at'])
    .where('kid', '=', kid)
    .executeTakeFirst()
  return row ? { publicKey: row.public_key, retiredAt: row.retired_at } : null
}
