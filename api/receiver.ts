import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter, AdapterDefinition, NotificationEnvelope, NotificationRequest } from '../adapters/contract.ts'
import { PspError } from '../adapters/errors.ts'
import { verifyingAsBefore } from '../adapters/secret-fields.ts'
import { type Connection, loadConnection } from '../db/connections.ts'
import { countRefused, storeNotification } from '../db/notifications.ts'
import { open, sealContext } from '../db/seal.ts'
import { keptVerifications } from '../db/secret-swap.ts'
import { isUuid } from '../domain/ids.ts'
import type { ApiDeps } from './context.ts'
import { ApiError } from './errors.ts'
import { recentlyUsed } from './recently-used.ts'

/**
 * ms from its arrival until a delivery that is not genuine is answered: longer than finding out takes, so that the
 * time does not tell whether there is such an integration.
 */
const REFUSAL_MS = 100
/** How long an opened secret serves. */
const CONNECTED_MS = 5 * 60_000
/** Deliveries to one integration that the PSP itself is asked about at once: a flood must not use up its patience. */
const ASKED_AT_ONCE = 10
const ASK_MS = 8_000
const MOST_REFERENCES = 1_000
/** The longest id, type or reference that is kept as it is. */
const LONGEST = 255

export interface Receiver {
  /**
   * Verifies, stores, asks for a poll.
   * @param count called once it counts as a delivery; may throw an ApiError
   * @returns the text that the PSP wants to read; null when it is not genuine
   */
  receive(integrationId: string, request: NotificationRequest, count: () => Promise<void>): Promise<string | null>
  /** The PSP's question when the address is registered. @returns null when nobody here can answer it */
  answer(integrationId: string, challenge: string): Promise<string | null>
  /** Notes for operators that something was not genuine. Never throws. */
  noteRefused(integrationId: string): void
}

interface Connected {
  definition: AdapterDefinition
  adapter: Adapter
  /** The adapter with what verified notifications before the secret was replaced. */
  asBefore(kept: Record<string, unknown>): Adapter
  secretSealed: string
  until: number
  asking: number
}

export function createReceiver(deps: ApiDeps): Receiver {
  const known = recentlyUsed<Connected>(1_000)

  async function connected(integrationId: string): Promise<Connected | null> {
    const connection = isUuid(integrationId) ? await loadConnection(deps.db, integrationId) : null
    if (!connection || connection.status === 'INACTIVE') return null
    const found = known.get(integrationId)
    if (found && found.until > performance.now() && found.secretSealed === connection.secretSealed) return found
    const made = connect(deps, connection)
    if (made) known.set(integrationId, made)
    return made
  }

  /** What is not genuine, or can't be told from it: null, after the same time as ever. */
  async function unlessRefused<T>(
    integrationId: string,
    work: (connected: Connected) => Promise<T> | T | undefined,
  ): Promise<T | null> {
    const shortest = sleep(REFUSAL_MS)
    const found = await connected(integrationId)
    try {
      const result = found && (await work(found))
      if (result !== null && result !== undefined) return result
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (error instanceof PspError && !notGenuine(error)) throw unavailable()
      const reason = error instanceof PspError ? error.kind : 'unexpected error'
      deps.log.info({ integrationId, reason }, 'notification refused')
    }
    await shortest
    return null
  }

  return {
    async receive(integrationId, request, count) {
      const verified = await unlessRefused(integrationId, async (found) => {
        const { adapter, definition } = found
        if (!adapter.verifyNotification || !adapter.readNotification) return undefined
        const envelope = await counted(found, () => verify(deps, integrationId, found, request), count)
        return envelope && { envelope, definition, ...adapter.readNotification(envelope) }
      })
      if (!verified) return null
      const { capabilities } = verified.definition
      await keep(deps, integrationId, verified.envelope, verified.references, capabilities.listing === 'inbox')
      return capabilities.notifications ? (capabilities.notifications.answer ?? '') : ''
    },
    answer: (integrationId, challenge) =>
      unlessRefused(integrationId, ({ adapter }) => adapter.answerChallenge?.(challenge)),
    noteRefused(integrationId) {
      if (isUuid(integrationId)) countRefused(deps.db, integrationId).catch(() => {})
    },
  }
}

/** By the secret of now, or by one that was replaced less than the overlap ago. @throws PspError as verifyNotification */
async function verify(
  deps: ApiDeps,
  integrationId: string,
  { adapter, asBefore }: Connected,
  request: NotificationRequest,
): Promise<NotificationEnvelope | undefined> {
  try {
    return await adapter.verifyNotification?.(request)
  } catch (error) {
    if (!notGenuine(error)) throw error
    for (const kept of await keptVerifications(deps.db, deps.ring, integrationId)) {
      try {
        return await asBefore(kept).verifyNotification?.(request)
      } catch (older) {
        if (!notGenuine(older)) throw older
      }
    }
    throw error
  }
}

const notGenuine = (error: unknown) =>
  error instanceof PspError && ['invalid_request', 'config_invalid'].includes(error.kind)

/** Opens the secret, in memory only. */
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
      fetch: (input, init) => {
        const late = AbortSignal.timeout(ASK_MS)
        return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late })
      },
      now: deps.now ?? (() => new Date()),
    })
  return {
    definition,
    adapter: adapterOf(payload),
    asBefore: (kept) => adapterOf(verifyingAsBefore(payload, kept)),
    secretSealed: connection.secretSealed,
    until: performance.now() + CONNECTED_MS,
    asking: 0,
  }
}

/**
 * Only what is genuine counts, so that nobody else uses up what an integration may receive. Where the PSP itself has to
 * be asked, everything does, and few wait for its word at once. @throws ApiError 429, 503: the PSP delivers again
 */
async function counted<T>(connected: Connected, work: () => Promise<T>, count: () => Promise<void>): Promise<T> {
  const { notifications } = connected.definition.capabilities
  if (notifications && notifications.signature === 'hmac') {
    const genuine = await work()
    await count()
    return genuine
  }
  await count()
  if (connected.asking >= ASKED_AT_ONCE) throw unavailable()
  connected.asking++
  try {
    return await work()
  } finally {
    connected.asking--
  }
}

/** A hint is kept as long as it may be repeated; where notifications are the only source, each of them is kept. */
async function keep(
  deps: ApiDeps,
  integrationId: string,
  envelope: NotificationEnvelope,
  named: string[],
  inbox: boolean,
): Promise<void> {
  const references = named.filter(storable).slice(0, MOST_REFERENCES)
  if (references.length === 0 && !inbox) return
  const id = storable(envelope.id) ? envelope.id : createHash('sha256').update(envelope.id).digest('hex')
  const notification = {
    integrationId,
    notificationId: id,
    type: storable(envelope.type) ? envelope.type : 'unknown',
    references,
    body: envelope.body,
  }
  await storeNotification(deps.db, deps.ring, notification, { reread: !inbox })
}

const storable = (text: string) => text !== '' && text.length <= LONGEST && text.isWellFormed() && !text.includes('\0')

const unavailable = () =>
  new ApiError(503, 'service_unavailable', 'The service is unavailable for the moment. Try again.', {
    'retry-after': '5',
  })
