import type { IntegrationStatus } from './integration.ts'

/** What an integration's row holds about its troubles. */
export interface IntegrationState {
  status: IntegrationStatus
  /** Why the credential was refused, or could not be checked yet. */
  statusReason: string | null
  verifiedAt: Date | null
  polledAt: Date | null
  /** What ended the last poll, if anything did. */
  pollError: string | null
  paused: boolean
  /** The last pause or resumption; null when it is older than this record, or never was. */
  pauseChangedAt: Date | null
  pauseChangedBy: string | null
  pauseReason: string | null
}

/**
 * What keeps an integration from its work, in words for its merchant and its operator: the one text of API and command
 * line. Null when nothing does, as while its first check is under way and after its deactivation.
 */
export function problemOf(state: IntegrationState): string | null {
  if (state.status === 'INACTIVE') return null
  const sentences = [state.paused && pauseOf(state), faultOf(state)].filter((one) => typeof one === 'string')
  return sentences.length > 0 ? sentences.join(' ') : null
}

function faultOf({ status, statusReason, verifiedAt, polledAt, pollError }: IntegrationState): string | null {
  if (status === 'FAILED') return statusReason ?? pollError ?? 'The PSP refused the credential.'
  if (status === 'PENDING') return statusReason
  // A poll that failed before the credential was verified (again) says nothing about it.
  return polledAt && verifiedAt && polledAt < verifiedAt ? null : pollError
}

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
