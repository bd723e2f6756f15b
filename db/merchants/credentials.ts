import { randomUUID, sign } from 'node:crypto'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import {
  CREDENTIAL_DAYS,
  type CredentialRole,
  type CredentialScope,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  type TokenClaims,
} from '../../domain/accounts/credential.ts'
import type { Environment } from '../../domain/integration.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import type { KeyRing } from '../core/seal.ts'
import { readTime } from '../core/time.ts'
import { inTransaction } from '../core/transaction.ts'
import { raiseRevocationEpoch, requireAccount } from './accounts.ts'
import { currentSigningKey } from './signing-keys.ts'

export interface CredentialRecord {
  credentialId: string
  accountId: string
  name: string
  role: CredentialRole
  scope: CredentialScope
  groupId: string | null
  merchantUuid: string | null
  /** Allowed CIDR blocks; empty = any address. */
  addresses: string[]
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

export interface CredentialRequest {
  accountId: string
  /** Purpose, for people; default `unnamed`. */
  name?: string | undefined
  /** Default: manage. */
  role?: CredentialRole | undefined
  scope: CredentialScope
  groupId?: string | undefined
  merchantUuid?: string | undefined
  /** Allowed CIDR blocks; default: any address. */
  addresses?: string[] | undefined
  /** Default: CREDENTIAL_DAYS from now, or `mostDays` if less. Truncated to whole seconds. */
  expiresAt?: Date | undefined
  /** Maximum lifetime in days; default: unlimited. */
  mostDays?: number | undefined
  environment: Environment
}

const DAY_MS = 24 * 3600 * 1000
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Issues a bearer token; shown once, never stored.
 * @throws Refusal account_not_found, group_not_found, merchant_not_found, scope_mismatch, expiry_past, expiry_too_late
 */
export function issueCredential(
  db: Database,
  ring: KeyRing,
  request: CredentialRequest,
): Promise<{ credentialId: string; token: string; expiresAt: Date }> {
  return inTransaction(db, async (trx) => {
    await checkScope(trx, request)
    const credentialId = uuidv7()
    const now = (await readTime(trx)).getTime()
    const issuedAt = Math.floor(now / 1000)
    const { mostDays = Number.POSITIVE_INFINITY } = request
    const expiry = Math.floor(
      (request.expiresAt?.getTime() ?? now + Math.min(CREDENTIAL_DAYS, mostDays) * DAY_MS) / 1000,
    )
    if (expiry * 1000 > now + mostDays * DAY_MS)
      throw new Refusal('invalid', 'expiry_too_late', `The expiry must be within ${mostDays} days from now.`)
    if (expiry <= issuedAt) throw new Refusal('invalid', 'expiry_past', 'The expiry must be in the future.')
    const expiresAt = new Date(expiry * 1000)
    await trx
      .insertInto('credential')
      .values({
        credential_id: credentialId,
        account_id: request.accountId,
        name: request.name ?? 'unnamed',
        role: request.role ?? 'manage',
        addresses: request.addresses ?? [],
        scope: request.scope,
        group_id: request.groupId ?? null,
        merchant_uuid: request.merchantUuid ?? null,
        expires_at: expiresAt,
      })
      .execute()
    const claims: TokenClaims = {
      iss: TOKEN_ISSUER,
      aud: TOKEN_AUDIENCE,
      sub: credentialId,
      jti: randomUUID(),
      iat: issuedAt,
      exp: expiry,
      env: request.environment,
      scope: request.scope,
      ...(request.groupId && { groupId: request.groupId }),
      ...(request.merchantUuid && { merchantUuid: request.merchantUuid }),
    }
    const { kid, privateKey } = await currentSigningKey(trx, ring)
    const signed = `${base64url({ alg: 'EdDSA', typ: 'JWT', kid })}.${base64url(claims)}`
    const signature = sign(null, Buffer.from(signed), privateKey).toString('base64url')
    return { credentialId, token: `${signed}.${signature}`, expiresAt }
  })
}

async function checkScope(db: Database, { accountId, scope, groupId, merchantUuid }: CredentialRequest): Promise<void> {
  await requireAccount(db, accountId)
  if ((scope === 'group') !== (groupId !== undefined) || (scope === 'merchant') !== (merchantUuid !== undefined))
    throw new Refusal(
      'invalid',
      'scope_mismatch',
      'Scope group needs a group, scope merchant a merchant, and no other.',
    )
  if (groupId) {
    const group = db.selectFrom('merchant_group').select('group_id').where('group_id', '=', groupId)
    if (!(await group.where('account_id', '=', accountId).executeTakeFirst()))
      throw new Refusal('missing', 'group_not_found', `The account has no merchant group ${groupId}.`)
  }
  if (merchantUuid) {
    const merchant = db.selectFrom('merchant').select('merchant_uuid').where('merchant_uuid', '=', merchantUuid)
    if (!(await merchant.where('account_id', '=', accountId).executeTakeFirst()))
      throw new Refusal('missing', 'merchant_not_found', `The account has no merchant ${merchantUuid}.`)
  }
}

/** Of `credential c`. */
export const credentialColumns = sql`c.credential_id as "credentialId", c.account_id as "accountId", c.name, c.role, c.scope,
  c.group_id as "groupId", c.merchant_uuid as "merchantUuid", c.addresses, c.created_at as "createdAt",
  c.expires_at as "expiresAt", c.last_used_at as "lastUsedAt", c.revoked_at as "revokedAt"`

/** Oldest first, of one account or of all. */
export async function listCredentials(db: Database, accountId?: string): Promise<CredentialRecord[]> {
  const { rows } = await sql<CredentialRecord>`select ${credentialColumns} from credential c
    where ${accountId ?? null}::uuid is null or account_id = ${accountId ?? null} order by created_at`.execute(db)
  return rows
}

/** The credential and its account's revocation epoch, read consistently. @returns null when it does not exist */
export async function readCredential(
  db: Database,
  credentialId: string,
): Promise<(CredentialRecord & { epoch: number }) | null> {
  const { rows } = await sql<CredentialRecord & { epoch: number }>`
    select ${credentialColumns}, a.revocation_epoch as epoch from credential c join account a on a.account_id = c.account_id
    where credential_id = ${credentialId}`.execute(db)
  return rows[0] ?? null
}

/**
 * Takes effect within a second in every API process; a second revocation keeps the first time. @throws Refusal
 * credential_not_found
 */
export function revokeCredential(db: Database, credentialId: string): Promise<{ revokedAt: Date }> {
  return inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('credential')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
      .where('credential_id', '=', credentialId)
      .returning(['account_id', 'revoked_at'])
      .executeTakeFirst()
    if (!row?.revoked_at) throw credentialNotFound(credentialId)
    await raiseRevocationEpoch(trx, row.account_id)
    return { revokedAt: row.revoked_at }
  })
}

/**
 * Replaces the allowed CIDR blocks, effective within half a second; empty = any address.
 * @throws Refusal credential_not_found
 */
export function setAddresses(db: Database, credentialId: string, addresses: string[]): Promise<void> {
  return inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('credential')
      .set({ addresses })
      .where('credential_id', '=', credentialId)
      .returning('account_id')
      .executeTakeFirst()
    if (!row) throw credentialNotFound(credentialId)
    await raiseRevocationEpoch(trx, row.account_id)
  })
}

const credentialNotFound = (credentialId: string) =>
  new Refusal('missing', 'credential_not_found', `There is no credential ${credentialId}.`)

/** Records the use of a credential, at most once in five minutes. */
export async function touchCredential(db: Database, credentialId: string): Promise<void> {
  await sql`update credential set last_used_at = now() where credential_id = ${credentialId}
    and (last_used_at is null or last_used_at < now() - interval '5 minutes')`.execute(db)
}
