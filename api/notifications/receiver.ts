import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NotificationEnvelope, NotificationRequest } from '../../adapters/contract.ts'
import { PspError } from '../../adapters/errors.ts'
import { countRefused, storeNotification } from '../../db/polling/notifications.ts'
import type { ApiDeps } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { createBudget } from '../limits/budget.ts'
import { createConnections, notGenuine, readable, verify } from './connected.ts'
import { createDecoys } from './decoy.ts'

/**
 * ms from the arrival of a delivery until its rejection is sent. It exceeds the time of verification, so that timing
 * does not reveal whether the integration exists.
 */
const REFUSAL_MS = 100
/**
 * Concurrent deliveries that require a verification call to the PSP, per integration, so that a flood does not exhaust
 * the PSP's rate limit.
 */
const CONCURRENT_VERIFICATIONS = { all: 10, ofAddress: 5 }
/** ms after a change of the integration's secret during which its address can be registered at the PSP. */
const REGISTRATION_MS = 24 * 3_600_000
const MAX_REFERENCES = 1_000
/** The longest id, type or reference that is stored in full. */
const LONGEST = 255

/** A delivery whose headers have arrived, but not its body. */
export interface Delivery {
  headers: NotificationRequest['headers']
  /** Of the client. */
  address: string
  /** Reads the body. @throws ApiError 503 when the memory budget is used up */
  read(): Promise<string>
  /** Reads the body and discards it. @throws as `read` */
  discard(): Promise<void>
  /** Called before the PSP is asked to verify the delivery; may throw an ApiError. */
  countVerificationCall(): Promise<void>
  /** Called once it is verified; may throw an ApiError. */
  countGenuine(): Promise<void>
}

export interface Receiver {
  /**
   * Checks the headers, reads and verifies the body, stores it, and requests a poll.
   * @returns the response text that the PSP expects; null when it is not genuine
   */
  receive(integrationId: string, delivery: Delivery): Promise<string | null>
  /**
   * Answers the PSP's challenge when the address is registered. Only during the registration period the response is
   * signed with the integration's key. Otherwise, and for an unknown id, it looks the same but has no valid signature.
   * @returns null for a challenge that no PSP sends
   */
  answer(integrationId: string, challenge: string): Promise<string | null>
}

export function createReceiver(deps: ApiDeps): Receiver {
  const connected = createConnections(deps)
  const decoys = createDecoys(deps)
  const verifications = createBudget(Number.MAX_SAFE_INTEGER)
  const now = deps.now ?? (() => new Date())

  /**
   * Only verified deliveries count against the integration, so that nobody else can use up its limit.
   * @returns null when it is not genuine
   * @throws ApiError 429, 503: the PSP delivers again
   */
  async function verified(integrationId: string, delivery: Delivery) {
    const found = await connected(integrationId)
    const definition = found?.definition ?? decoys.definition(integrationId)
    if (!definition?.hasDeliveryHeaders?.(delivery.headers, now())) return null
    // Reads the body as for an existing integration, so that timing does not differ.
    if (!found) return delivery.discard().then(() => null)
    const { adapter } = found
    const { notifications } = definition.capabilities
    if (!adapter.readNotification || !notifications) return null
    const verifiesAtPsp = notifications.signature !== 'hmac'
    if (verifiesAtPsp) await delivery.countVerificationCall()
    const request = { headers: delivery.headers, body: await delivery.read() }
    const release = verifiesAtPsp ? acquireSlot(integrationId, delivery.address) : null
    try {
      const envelope = await verify(deps, integrationId, found, request)
      if (!envelope) return null
      const { references } = await readable(() => adapter.readNotification?.(envelope) ?? { references: [] })
      await delivery.countGenuine()
      return { envelope, definition, references }
    } catch (error) {
      if (!(error instanceof PspError)) throw error
      if (!notGenuine(error)) throw unavailable()
      deps.log.info({ integrationId, reason: error.kind }, 'notification refused')
      countRefused(deps.db, integrationId).catch(() => {})
      return null
    } finally {
      release?.()
    }
  }

  /**
   * Limits concurrent verification calls to the PSP; one address gets at most half of the slots. @throws ApiError 503
   */
  function acquireSlot(integrationId: string, address: string): () => void {
    const { all, ofAddress } = CONCURRENT_VERIFICATIONS
    const release = verifications.take(1, { [integrationId]: all, [`${integrationId} ${address}`]: ofAddress })
    if (!release) throw unavailable()
    return release
  }

  return {
    async receive(integrationId, delivery) {
      const shortest = sleep(REFUSAL_MS)
      const found = await verified(integrationId, delivery)
      if (!found) return shortest.then(() => null)
      const { capabilities } = found.definition
      await keep(deps, integrationId, found.envelope, found.references, capabilities.listing === 'inbox')
      return capabilities.notifications ? (capabilities.notifications.answer ?? '') : ''
    },
    async answer(integrationId, challenge) {
      const shortest = sleep(REFUSAL_MS)
      const decoy = decoys.answer(integrationId, challenge)
      const found = await connected(integrationId)
      const registering = found && now().getTime() - found.secretSince.getTime() < REGISTRATION_MS
      const answer = decoy && registering ? found.adapter.answerChallenge?.(challenge) : undefined
      await shortest
      return answer ?? decoy
    },
  }
}

/** Notifications that only hint at a change expire; where they are the only source, all of them are kept. */
async function keep(
  deps: ApiDeps,
  integrationId: string,
  envelope: NotificationEnvelope,
  named: string[],
  inbox: boolean,
): Promise<void> {
  const references = named.filter(storable).slice(0, MAX_REFERENCES)
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
