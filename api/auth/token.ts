import { createHash } from 'node:crypto'
import { importSPKI, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Database } from '../../db/core/connect.ts'
import { type CredentialRecord, readCredential } from '../../db/merchants/credentials.ts'
import { readVerificationKey } from '../../db/merchants/signing-keys.ts'
import { CREDENTIAL_SCOPES, TOKEN_AUDIENCE, TOKEN_ISSUER } from '../../domain/accounts/credential.ts'
import type { Environment } from '../../domain/integration.ts'

/** Seconds of tolerated clock skew. */
const SKEW = 60

/** Exactly the claims of `issueCredential`: a token with an unknown or repeated claim is not Recoup's. */
const claimsSchema = z.strictObject({
  iss: z.literal(TOKEN_ISSUER),
  aud: z.literal(TOKEN_AUDIENCE),
  sub: z.uuid(),
  jti: z.string().min(1),
  iat: z.number().int(),
  exp: z.number().int(),
  env: z.string(),
  scope: z.enum(CREDENTIAL_SCOPES),
  groupId: z.uuid().optional(),
  merchantUuid: z.uuid().optional(),
})
const headerSchema = z.strictObject({
  alg: z.literal('EdDSA'),
  typ: z.literal('JWT'),
  kid: z.string().regex(/^[\w-]{8,64}$/),
})

export interface VerifiedToken {
  credential: CredentialRecord
  /** The key that signed the token. */
  kid: string
  /** The account's epoch when the credential was read. */
  epoch: number
  /** Time in ms after which this result must not be used, whatever the epoch. */
  goodUntil: number
}

export const tokenDigest = (token: string) => createHash('sha256').update(token).digest('base64')

/**
 * Verifies a token: form, signature, claims, and its credential.
 * @returns null for every reason, so that a caller can't distinguish them
 */
export async function verifyToken(
  db: Database,
  token: string,
  environment: Environment,
  time: () => Date,
): Promise<VerifiedToken | null> {
  const parts = token.split('.')
  const header = headerSchema.safeParse(canonicalJson(parts[0]))
  const claims = claimsSchema.safeParse(canonicalJson(parts[1]))
  if (!header.success || !claims.success || !isCanonical(parts[2])) return null
  const key = await readVerificationKey(db, header.data.kid)
  // After the read, which also measures the offset of this process' clock.
  const now = time()
  if (!key || (key.retiredAt && key.retiredAt <= now)) return null
  try {
    await jwtVerify(token, await importSPKI(key.publicKey, 'EdDSA'), {
      algorithms: ['EdDSA'],
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      clockTolerance: SKEW,
      currentDate: now,
      requiredClaims: ['sub', 'jti', 'iat', 'exp'],
    })
  } catch {
    return null
  }
  const { sub, iat, exp, env, scope, groupId = null, merchantUuid = null } = claims.data
  if (env !== environment || iat > now.getTime() / 1000 + SKEW) return null
  const credential = await readCredential(db, sub)
  if (!credential || credential.revokedAt) return null
  const same =
    credential.scope === scope &&
    credential.groupId === groupId &&
    credential.merchantUuid === merchantUuid &&
    credential.expiresAt.getTime() === exp * 1000
  if (!same) return null
  const expiry = (exp + SKEW) * 1000
  const goodUntil = Math.min(expiry, key.retiredAt?.getTime() ?? expiry)
  return { credential, kid: header.data.kid, epoch: credential.epoch, goodUntil }
}

/** One spelling per token: no padding, no unused bits. */
const isCanonical = (part = '') => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part

/** Parses JSON that serialises to the same text: a repeated key or white space is not Recoup's. */
function canonicalJson(part = ''): unknown {
  if (!isCanonical(part)) return undefined
  const text = Buffer.from(part, 'base64url').toString('utf8')
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}
