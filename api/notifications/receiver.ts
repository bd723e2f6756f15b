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
 * ms from its arrival until a delivery that is not genuine is answered: longer than finding out takes, so that the
 * time does not tell whether there is such an integration.
 */
const REFUSAL_MS = 100
/** Deliveries that the PSP itself is asked about at once, per integration: a flood must not use up its patience. */
const ASKED_AT_ONCE = { all: 10, ofAddress: 5 }
/** ms after an integration got its secret in which its address can be registered at the PSP. */
const REGISTRATION_MS = 24 * 3_600_000
const MOST_REFERENCES = 1_000
/** The longest id, type or reference that is kept as it is. */
const LONGEST = 255

/** A delivery of which only the headers have arrived. */
export interface Delivery {
  headers: NotificationRequest['headers']
  /** Of the client. */
  address: string
  /** Reads the body. @throws ApiError 503 when there is no room for it */
  read(): Promise<string>
  /** Reads the body and keeps nothing of it. @throws as `read` */
  discard(): Promise<void>
  /** Called before the PSP is asked about it; may throw an ApiError. */
  countQuestion(): Promise<void>
  /** Called once it is genuine; may throw an ApiError. */
  countGenuine(): Promise<void>
}

export interface Receiver {
  /**
   * Checks the headers, reads and verifies, stores, asks for a poll.
   * @returns the text that the PSP wants to read; null when it is not genuine
   */
  receive(integrationId: string, delivery: Delivery): Promise<string | null>
  /**
   * The PSP's question when the address is registered. Only in a time of registration the answer is the integration's;
   * else, and for an id that nobody has, it looks the same and is good for nothing.
   * @returns null when no PSP asks so
   */
  answer(integrationId: string, challenge: string): Promise<string | null>
}

export function createReceiver(deps: ApiDeps): Receiver {
  const connected = createConnections(deps)
  const decoys = createDecoys(deps)
  const questions = createBudget(Number.MAX_SAFE_INTEGER)
  const now = deps.now ?? (() => new Date())

  /**
   * Only what is genuine counts against the integration, so that nobody else uses up what it may receive.
   * @returns null when it is not genuine
   * @throws ApiError 429, 503: the PSP delivers again
   */
  async function verified(integrationId: string, delivery: Delivery) {
    const found = await connected(integrationId)
    const definition = found?.definition ?? decoys.definition(integrationId)
    if (!definition?.hasDeliveryHeaders?.(delivery.headers, now())) return null
    // Waits for the body as if there were such an integration.
    if (!found) return delivery.discard().then(() => null)
    const { adapter } = found
    const { notifications } = definition.capabilities
    if (!adapter.readNotification || !notifications) return null
    const asksPsp = notifications.signature !== 'hmac'
    if (asksPsp) await delivery.countQuestion()
    const request = { headers: delivery.headers, body: await delivery.read() }
    const release = asksPsp ? acquireSlot(integrationId, delivery.address) : null
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

  /** Few wait for the PSP's answer at once, and one address has half of the places. @throws ApiError 503 */
  function acquireSlot(integrationId: string, address: string): () => void {
    const { all, ofAddress } = ASKED_AT_ONCE
    const release = questions.take(1, { [integrationId]: all, [`${integrationId} ${address}`]: ofAddress })
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
