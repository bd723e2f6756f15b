import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter, AdapterDefinition, RawObject } from '../../adapters/contract.ts'
import { PspError, type PspErrorKind } from '../../adapters/errors.ts'
import { type PspFetch, pspFetch } from '../../adapters/shared/psp-fetch.ts'
import { type Bucket, blockBucket, takeToken } from '../../db/core/rate-bucket.ts'
import { open, seal, sealContext } from '../../db/core/seal.ts'
import { type Connection, loadConnection } from '../../db/integrations/connections.ts'
import { UNCONFIRMED_ACCOUNT } from '../../domain/dispute.ts'
import type { SecretType } from '../../domain/integration.ts'
import type { ActivityDeps } from './deps.ts'
import { openInbox } from './polling/inbox.ts'
import { openTokenBatch } from './token-batch.ts'
import { tokenStoreOf } from './token-store.ts'

/** A longer wait for a token frees the activity's slot; Temporal retries after it. */
const LONGEST_TOKEN_WAIT_MS = 5_000
/** Errors that concern the secret, which may have been replaced since it was decrypted. */
const OF_THE_SECRET: readonly PspErrorKind[] = ['auth_failed', 'permission_missing']

/** Recoup's own rate limit: the caller waits, but other processes need not. */
class OwnLimit extends PspError {
  constructor(retryAfterMs: number) {
    super('rate_limited', 'our own limit for this PSP account is used up', { retryAfterMs })
  }
}

/** The PSP account that an integration acts on: the scope of its rate limit, and visible to clients. */
export const accountOf = (definition: AdapterDefinition | undefined, connection: Connection): string =>
  definition?.accountOf?.(connection) ?? connection.pspAccount ?? connection.externalIdentifier

/**
 * The account that the PSP confirmed; null while it has not. In a sandbox without a PSP each integration is its own
 * account.
 */
export function confirmedAccount(
  definition: AdapterDefinition,
  { integrationId, externalIdentifier }: Connection,
  pspAccount: string | null,
): string | null {
  // The check itself proves which account it acts on, even when the PSP does not name the credential's account.
  if (definition.accountOf) return definition.accountOf({ externalIdentifier, pspAccount })
  if (pspAccount !== null) return pspAccount
  return definition.capabilities.rawData ? integrationId : null
}

/** The account of a dispute, as far as the PSP has confirmed it: part of the dispute's identity. */
export function disputeAccount(
  definition: AdapterDefinition,
  { claimedAccount }: Connection,
  named: string | null,
): string {
  if (definition.disputeNames === 'account') return named ?? claimedAccount ?? UNCONFIRMED_ACCOUNT
  if (claimedAccount === null) return UNCONFIRMED_ACCOUNT
  return definition.disputeNames === 'sub_account'
    ? `${claimedAccount}/${named ?? UNCONFIRMED_ACCOUNT}`
    : claimedAccount
}

/**
 * Key of the rate limit of a call. Integrations share an account's bucket only after the PSP has confirmed the account,
 * because an unconfirmed identifier may be another tenant's, who would be slowed down.
 */
export const bucketKeyOf = (definition: AdapterDefinition, connection: Connection): string => {
  const confirmed = connection.status === 'SUCCESSFUL' && connection.pspAccount !== null
  return `${connection.source}:${confirmed ? accountOf(definition, connection) : connection.integrationId}`
}

export interface AtPsp {
  definition: AdapterDefinition
  adapter: Adapter
  /**
   * Runs a call. A rate limit response of the PSP blocks all processes. From `writesEndAt` (ms) on, only reads are
   * sent.
   */
  call<T>(work: (adapter: Adapter) => Promise<T>, writesEndAt?: number): Promise<T>
  /** Returns tokens that were taken ahead. */
  close(): Promise<void>
}

/** The caller of the PSP. */
export interface Caller {
  /** Polls leave capacity of the PSP's rate limit to commands. */
  priority: 'command' | 'poll'
  signal: AbortSignal
  /** Time (ms) after which nothing is sent, because another attempt has taken over from a frozen one. */
  endsAt?: number
  /** Called for each response, because a page of many slow calls makes progress too. */
  answered?: () => void
  /** Takes tokens for several requests in one round trip; `close` returns the rest. */
  takesAhead?: true
}

/** A decrypted secret, in memory only. */
export interface OpenedSecret {
  secretType: SecretType
  payload: Record<string, unknown>
}

export const openSecret = (deps: ActivityDeps, connection: Connection): OpenedSecret => ({
  secretType: connection.secretType,
  payload: JSON.parse(open(deps.ring, connection.secretSealed, sealContext.integrationSecret(connection))),
})

/**
 * Connects the adapter with Recoup's fetch, and with the integration's secret unless a candidate is given.
 * @throws PspError config_invalid
 */
export function connectAtPsp(
  deps: ActivityDeps,
  connection: Connection,
  { endsAt = Number.POSITIVE_INFINITY, ...caller }: Caller,
  { secretType, payload } = openSecret(deps, connection),
): AtPsp {
  const definition = deps.adapterFor(connection.source, secretType)
  const schema = definition?.secrets[secretType]?.schema
  if (!definition || !schema)
    throw new PspError('config_invalid', `no adapter takes ${connection.source} with ${secretType}`)
  const secret = schema.safeParse(payload)
  if (!secret.success)
    throw new PspError('config_invalid', `integration ${connection.integrationId} has no usable credential any more`)
  const bucket: Bucket = {
    key: bucketKeyOf(definition, connection),
    perSecond: definition.limits.requestsPerSecond,
    burst: definition.limits.burst,
  }
  const batch = caller.takesAhead && openTokenBatch(bucket, tokenStoreOf(deps.db))
  const take = async () => (batch ? batch.take() : takeToken(deps.db, bucket, caller.priority))
  const times = { endsAt, writesEndAt: Number.POSITIVE_INFINITY }
  const adapter = definition.connect({
    secret: secret.data,
    externalIdentifier: connection.externalIdentifier,
    pspAccount: connection.pspAccount,
    baseUrl: deps.baseUrls[connection.source] ?? null,
    environment: deps.environment,
    merchantAccountCodes: connection.merchantAccountCodes,
    ...(needsInbox(definition) && { inbox: openInbox(deps, connection.integrationId) }),
    fetch: limitedFetch(deps, bucket, caller, times, take),
    now: deps.now,
  })
  return {
    definition,
    adapter,
    async call(work, writesEndAt = Number.POSITIVE_INFINITY) {
      times.writesEndAt = writesEndAt
      try {
        return await work(adapter)
      } catch (error) {
        if (error instanceof PspError && error.kind === 'rate_limited' && !(error instanceof OwnLimit)) {
          batch?.discard()
          await blockBucket(deps.db, bucket, error.retryAfterMs ?? 2_000)
        }
        deps.counted(connection.source, error instanceof PspError ? error.kind : 'error')
        if (error instanceof PspError && OF_THE_SECRET.includes(error.kind) && (await isReplaced(deps, connection)))
          throw new PspError('unavailable', 'the secret was replaced meanwhile; the next attempt uses the new one')
        throw error
      } finally {
        times.writesEndAt = Number.POSITIVE_INFINITY
      }
    },
    close: async () => batch?.close(),
  }
}

async function isReplaced(deps: ActivityDeps, { integrationId, secretSealed }: Connection): Promise<boolean> {
  const now = await loadConnection(deps.db, integrationId)
  return now !== null && now.status !== 'INACTIVE' && now.secretSealed !== secretSealed
}

const needsInbox = ({ capabilities }: AdapterDefinition) =>
  capabilities.listing === 'inbox' || capabilities.rawData === true

/** fetch that takes a token of the account's bucket before each request. */
function limitedFetch(
  deps: ActivityDeps,
  bucket: Bucket,
  { signal, answered }: Caller,
  times: Readonly<{ endsAt: number; writesEndAt: number }>,
  take: () => Promise<number>,
): PspFetch {
  const send = deps.fetch ?? pspFetch
  return async (url, request = {}) => {
    const wait = await take()
    if (wait > LONGEST_TOKEN_WAIT_MS) throw new OwnLimit(wait)
    if (wait > 0) await sleep(wait, undefined, { signal })
    if (Date.now() > times.endsAt)
      throw new PspError('unavailable', 'this attempt is over; another has taken its place')
    if (deps.now().getTime() >= times.writesEndAt && (request.method ?? 'GET').toUpperCase() !== 'GET')
      throw new PspError('unavailable', 'the due date has passed: nothing more is sent')
    const response = await send(url, { ...request, signal })
    deps.counted(bucket.key.split(':', 1)[0] as string, String(response.status))
    answered?.()
    return response
  }
}

export const sealRaw = (deps: ActivityDeps, integrationId: string, raw: RawObject): string =>
  seal(deps.ring, raw.text, sealContext.rawObject(integrationId))

export const openRaw = (deps: ActivityDeps, integrationId: string, reference: string, sealed: string): RawObject => ({
  reference,
  text: open(deps.ring, sealed, sealContext.rawObject(integrationId)),
})
