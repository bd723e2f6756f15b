import type { Database } from '../../db/core/connect.ts'
import { inScope } from '../../db/core/scope.ts'
import { readRevocationEpoch } from '../../db/merchants/accounts.ts'
import { type CredentialRecord, touchCredential } from '../../db/merchants/credentials.ts'
import { findReferencedMerchant, firstMerchants } from '../../db/merchants/merchants.ts'
import type { Environment } from '../../domain/integration.ts'
import { addressBlocks } from '../../process/address-blocks.ts'
import { ApiError } from '../http/errors.ts'
import { recentlyUsed } from '../limits/recently-used.ts'
import type { Principal } from './principal.ts'
import { tokenDigest, verifyToken } from './token.ts'

const refused = (code: string, words: string) =>
  new ApiError(401, code, `Authorization error. ${words}`, { 'www-authenticate': 'Bearer realm="recoup"' })

/** The seven rejections; the texts come from the interface. */
export const rejections = {
  missingHeader: () => refused('missing_token', 'Missing token header'),
  malformed: () => refused('invalid_token_format', 'Invalid token format'),
  invalid: () => refused('invalid_credential', 'Credential is invalid'),
  noMerchant: () => refused('no_merchant', 'Account has no merchant to act on'),
  ambiguous: () =>
    refused('reference_account_required', 'Account has more than one merchant; set the reference account header'),
  unreachable: () =>
    refused('reference_account_unreachable', 'Account has no permission to access the referenced account'),
  accountLevel: () =>
    refused('account_level_only', 'Credential is scoped to merchants and cannot be used on account level endpoints'),
}

export const addressNotAllowed = () =>
  new ApiError(403, 'address_not_allowed', 'This credential may not be used from your address.')

/**
 * ms that a cached epoch is used: a change by another process, such as a revocation, takes effect within half a second.
 */
const EPOCH_MS = 500
const TOUCH_MS = 5 * 60_000
const BEARER = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i

/** Who sends a request: by a token, or by a session of the console. */
export interface Caller extends Principal {
  /** Whether the credential's allowed addresses include this one. */
  allows(address: string): boolean
  /** The account's revocation epoch when the credential was read. */
  epoch: number
}

interface Session extends Caller {
  goodUntil: number
  touchedAt: number
}

export interface Authenticator {
  /** @throws ApiError 401 */
  authenticate(authorization: string | undefined): Promise<Caller>
  /** The merchant that credential and header select. @throws ApiError 401 */
  selectMerchant(caller: Caller, header: string | undefined): Promise<string>
  /** Reads the account's epoch again at the next request, after this process changed the access of its credentials. */
  forget(accountId: string): void
}

export function callerOf(credential: CredentialRecord & { epoch: number }): Caller {
  const { credentialId, accountId, role, scope, groupId, merchantUuid, addresses, epoch } = credential
  const allows = addresses.length === 0 ? () => true : addressBlocks(addresses).has
  return { credentialId, accountId, role, scope, groupId, merchantUuid, allows, epoch }
}

/**
 * Authenticates the caller and selects the merchant. Accepted tokens are cached by their digest until the account's
 * revocation epoch changes. Rejections are not cached.
 */
export function createAuthenticator(db: Database, environment: Environment, now: () => Date): Authenticator {
  const sessions = recentlyUsed<Session>(10_000)
  const merchants = recentlyUsed<{ epoch: number; merchantUuid: string }>(10_000)
  const epochs = recentlyUsed<{ readAt: number; epoch: Promise<number | null> }>(10_000)

  /**
   * Read once per account and half second, for any number of requests, by a monotonic clock. A failed read is not
   * cached.
   */
  function epochOf(accountId: string): Promise<number | null> {
    const readAt = performance.now()
    const known = epochs.get(accountId)
    if (known && readAt - known.readAt < EPOCH_MS) return known.epoch
    const epoch = inScope('system', () => readRevocationEpoch(db, accountId))
    epochs.set(accountId, { readAt, epoch })
    epoch.catch(() => epochs.delete(accountId))
    return epoch
  }

  /** Records the use for operators. Its failure does not fail the request. */
  function touch(session: Session): Session {
    if (performance.now() - session.touchedAt >= TOUCH_MS) {
      session.touchedAt = performance.now()
      inScope('system', () => touchCredential(db, session.credentialId)).catch(() => {})
    }
    return session
  }

  return {
    async authenticate(authorization) {
      if (authorization === undefined) throw rejections.missingHeader()
      const token = BEARER.exec(authorization)?.[1]
      if (!token) throw rejections.malformed()
      const digest = tokenDigest(token)
      const known = sessions.get(digest)
      if (known && known.goodUntil > now().getTime() && known.epoch === (await epochOf(known.accountId)))
        return touch(known)
      sessions.delete(digest)
      const verified = await inScope('system', () => verifyToken(db, token, environment, now))
      if (!verified) throw rejections.invalid()
      const { credential, epoch, goodUntil } = verified
      const session = { ...callerOf({ ...credential, epoch }), goodUntil, touchedAt: -TOUCH_MS }
      sessions.set(digest, session)
      return touch(session)
    },

    async selectMerchant(caller, header) {
      const reference = header?.trim() || null
      const key = `${caller.credentialId} ${reference ?? ''}`
      const known = merchants.get(key)
      if (known?.epoch === caller.epoch) return known.merchantUuid
      const merchantUuid = await inScope({ accountId: caller.accountId, merchantUuid: null }, () =>
        findSelected(db, caller, reference),
      )
      merchants.set(key, { epoch: caller.epoch, merchantUuid })
      return merchantUuid
    },

    forget: (accountId) => epochs.delete(accountId),
  }
}

async function findSelected(db: Database, principal: Principal, reference: string | null): Promise<string> {
  const { scope, accountId, groupId, merchantUuid } = principal
  if (scope === 'account') {
    const [first, second] = await firstMerchants(db, accountId)
    if (!first) throw rejections.noMerchant()
    if (reference === null) {
      if (second) throw rejections.ambiguous()
      return first
    }
  }
  if (reference === null) {
    if (merchantUuid === null) throw rejections.ambiguous()
    return merchantUuid
  }
  const named = await findReferencedMerchant(db, { accountId, groupId, reference })
  if (!named || (merchantUuid !== null && named !== merchantUuid)) throw rejections.unreachable()
  return named
}
