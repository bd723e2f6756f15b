import pLimit from 'p-limit'
import type { Adapter, AdapterDefinition, NotificationEnvelope, NotificationRequest } from '../../adapters/contract.ts'
import { PspError } from '../../adapters/errors.ts'
import { pspFetch } from '../../adapters/shared/psp-fetch.ts'
import { withFormerVerification } from '../../adapters/shared/secret-fields.ts'
import { open, sealContext } from '../../db/core/seal.ts'
import { type Connection, loadConnection } from '../../db/integrations/connections.ts'
import { keptVerifications } from '../../db/integrations/secret-swap.ts'
import { isUuid } from '../../domain/ids.ts'
import type { ApiDeps } from '../context.ts'
import { recentlyUsed } from '../limits/recently-used.ts'

/** ms that a decrypted secret is cached. */
const CONNECTED_MS = 5 * 60_000
const ASK_MS = 8_000
/**
 * Integrations that are looked up at the same time; further ones wait in order. Anybody can cause a lookup, and a
 * flood would otherwise hold every database connection of the process.
 */
const LOOKUPS = 2

/** An integration whose notifications are received. */
export interface Connected {
  definition: AdapterDefinition
  adapter: Adapter
  /** The adapter with the part of a replaced secret that verified notifications before. */
  withFormerSecret(kept: Record<string, unknown>): Adapter
  secretSealed: string
  /** When the integration got its current secret. */
  secretSince: Date
  until: number
}

/** @returns null for an unknown or deactivated integration */
export function createConnections(deps: ApiDeps): (integrationId: string) => Promise<Connected | null> {
  const known = recentlyUsed<Connected>(1_000)
  const lookup = pLimit(LOOKUPS)
  return async (integrationId) => {
    const connection = isUuid(integrationId) ? await lookup(() => loadConnection(deps.db, integrationId)) : null
    if (!connection || connection.status === 'INACTIVE') return null
    const found = known.get(integrationId)
    if (found && found.until > performance.now() && found.secretSealed === connection.secretSealed) return found
    const made = connect(deps, connection)
    if (made) known.set(integrationId, made)
    return made
  }
}

/**
 * Verifies with the current secret, or with one that was replaced within the overlap. @throws PspError as
 * verifyNotification
 */
export async function verify(
  deps: ApiDeps,
  integrationId: string,
  { adapter, withFormerSecret }: Connected,
  request: NotificationRequest,
): Promise<NotificationEnvelope | undefined> {
  try {
    return await readable(() => adapter.verifyNotification?.(request))
  } catch (error) {
    if (!notGenuine(error)) throw error
    for (const kept of await keptVerifications(deps.db, deps.ring, integrationId)) {
      try {
        return await readable(() => withFormerSecret(kept).verifyNotification?.(request))
      } catch (older) {
        if (!notGenuine(older)) throw older
      }
    }
    throw error
  }
}

/**
 * A delivery on which an adapter fails unexpectedly counts as not genuine. A failure of Recoup's, such as the
 * database's, is rethrown unchanged, so that the PSP delivers again.
 */
export async function readable<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof PspError) throw error
    throw new PspError('invalid_request', 'unexpected error')
  }
}

export const notGenuine = (error: unknown) =>
  error instanceof PspError && ['invalid_request', 'config_invalid'].includes(error.kind)

/** Decrypts the secret, in memory only. */
function connect(deps: ApiDeps, connection: Connection): Connected | null {
  const definition = deps.adapters.adapterFor(connection.source, connection.secretType)
  const schema = definition?.secrets[connection.secretType]?.schema
  if (!definition || !schema) return null
  const payload = JSON.parse(open(deps.ring, connection.secretSealed, sealContext.integrationSecret(connection)))
  const adapterOf = (secret: unknown) =>
    definition.connect({
      secret: schema.parse(secret),
      externalIdentifier: connection.externalIdentifier,
      merchantAccountCodes: connection.merchantAccountCodes,
      pspAccount: connection.pspAccount,
      baseUrl: deps.baseUrls?.[connection.source] ?? null,
      environment: deps.environment,
      fetch: (url, request) =>
        (deps.fetch ?? pspFetch)(url, { ...request, timeoutMs: Math.min(ASK_MS, request?.timeoutMs ?? ASK_MS) }),
      now: deps.now ?? (() => new Date()),
    })
  return {
    definition,
    adapter: adapterOf(payload),
    withFormerSecret: (kept) => adapterOf(withFormerVerification(payload, kept)),
    secretSealed: connection.secretSealed,
    secretSince: connection.secretSince,
    until: performance.now() + CONNECTED_MS,
  }
}
