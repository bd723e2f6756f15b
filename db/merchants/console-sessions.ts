import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { type CredentialRecord, credentialColumns } from './credentials.ts'

/** A session ends after this long without a request of its person, ms. */
export const IDLE_MS = 30 * 60_000
/** A session ends after this long, however busy, ms. */
export const LONGEST_MS = 12 * 3_600_000
/** The last use is stored to this precision, ms. */
const SEEN_MS = 30_000

export interface ConsoleSession {
  credential: CredentialRecord & { epoch: number }
  seenAt: Date
  endsAt: Date
}

/** @param session `kid`: the key that signed the token of the sign-in */
export async function startConsoleSession(
  db: Database,
  session: { hash: Buffer; credentialId: string; kid: string; now: Date; endsAt: Date },
): Promise<void> {
  const { hash, credentialId, kid, now, endsAt } = session
  await db
    .insertInto('console_session')
    .values({
      session_hash: hash,
      credential_id: credentialId,
      kid,
      created_at: now,
      seen_at: now,
      ends_at: endsAt,
    })
    .execute()
}

/**
 * The session of a cookie with its credential, unless one of them, or the key that signed the token, has ended.
 * @returns null for every reason
 */
export async function readConsoleSession(db: Database, hash: Buffer, now: Date): Promise<ConsoleSession | null> {
  const { rows } = await sql<CredentialRecord & { epoch: number; seenAt: Date; endsAt: Date }>`
    select ${credentialColumns}, a.revocation_epoch as epoch, s.seen_at as "seenAt", s.ends_at as "endsAt"
    from console_session s join credential c on c.credential_id = s.credential_id
      join account a on a.account_id = c.account_id join signing_key k on k.kid = s.kid
    where s.session_hash = ${hash} and s.ends_at > ${now} and s.seen_at > ${new Date(now.getTime() - IDLE_MS)}
      and c.revoked_at is null and c.expires_at > ${now} and (k.retired_at is null or k.retired_at > ${now})`.execute(
    db,
  )
  if (!rows[0]) return null
  const { seenAt, endsAt, ...credential } = rows[0]
  return { credential, seenAt, endsAt }
}

/** Records a request of the person, so that the idle time begins again. @returns whether it was stored */
export async function touchConsoleSession(db: Database, hash: Buffer, seenAt: Date, now: Date): Promise<boolean> {
  if (now.getTime() - seenAt.getTime() < SEEN_MS) return false
  await sql`update console_session set seen_at = ${now} where session_hash = ${hash} and seen_at < ${now}`.execute(db)
  return true
}

export async function endConsoleSession(db: Database, hash: Buffer): Promise<void> {
  await db.deleteFrom('console_session').where('session_hash', '=', hash).execute()
}
