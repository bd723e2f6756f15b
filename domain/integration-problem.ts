import type { IntegrationStatus } from './integration.ts'

/** State of an integration that can explain a problem. */
export interface IntegrationState {
  status: IntegrationStatus
  /** Why the credential was refused, or could not be checked yet. */
  statusReason: string | null
  verifiedAt: Date | null
  polledAt: Date | null
  /** Error of the last poll, if it failed. */
  pollError: string | null
  paused: boolean
  /** The last pause or resumption; null when none is recorded. */
  pauseChangedAt: Date | null
  pauseChangedBy: string | null
  pauseReason: string | null
}

/**
 * The integration's problem in a sentence for merchant and operator, shared by API and command line. Null when there is
 * none, also during its first check and after its deactivation.
 */
export function problemOf(state: IntegrationState): string | null {
  if (state.status === 'INACTIVE') return null
  const sentences = [state.paused && pauseOf(state), faultOf(state)].filter((one) => typeof one === 'string')
  return sentences.length > 0 ? sentences.join(' ') : null
}

function faultOf({ status, statusReason, verifiedAt, polledAt, pollError }: IntegrationState): string | null {
  if (status === 'FAILED') return statusReason ?? pollError ?? 'The PSP refused the credential.'
  if (status === 'PENDING') return statusReason
  // An earlier poll failure says nothing about a credential that is being verified again.
  return polledAt && verifiedAt && polledAt < verifiedAt ? null : pollError
}

const CLIENT = 'the credential '

/** What is stored as the author when a client pauses: a prefix and the id of its credential. */
export const clientPause = (credentialId: string): string => `${CLIENT}${credentialId}`
export const isPausedByClient = (author: string | null): boolean => author?.startsWith(CLIENT) ?? false

/** Who paused it, for its merchant: the names of operators are not shown to clients. */
export const authorForMerchant = (author: string | null): string | null =>
  author && (isPausedByClient(author) ? 'a client' : 'the operator')

const pauseOf = ({ pauseChangedAt, pauseChangedBy, pauseReason }: IntegrationState): string =>
  [
    'Its polls are paused',
    pauseChangedAt && ` since ${minuteOf(pauseChangedAt)}`,
    pauseChangedBy && ` by ${pauseChangedBy}`,
    pauseReason ? `: ${pauseReason.replace(/\.$/, '')}.` : '.',
  ]
    .filter(Boolean)
    .join('')

const minuteOf = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
