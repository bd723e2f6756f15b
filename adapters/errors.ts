/** Kinds of errors at a PSP, by the engine's reaction. */
export const PSP_ERROR_KINDS = [
  'config_invalid',
  'auth_failed',
  'permission_missing',
  'not_found',
  'rejected_final',
  'invalid_request',
  'rate_limited',
  'unavailable',
  'outcome_unknown',
] as const
export type PspErrorKind = (typeof PSP_ERROR_KINDS)[number]

/** Kinds that no retry can change. A write that failed with one was not applied. */
export const DEFINITE_KINDS = [
  'config_invalid',
  'auth_failed',
  'permission_missing',
  'not_found',
  'rejected_final',
  'invalid_request',
] as const satisfies readonly PspErrorKind[]

/**
 * The only error that leaves an adapter. `message` is Recoup's own sentence that a merchant's engineer can act on. It
 * may name accounts, but never a PSP's text, a URL, a header, a key or personal data. `requestId` is the PSP's, for its
 * support.
 */
export class PspError extends Error {
  readonly kind: PspErrorKind
  /** Milliseconds to wait, from Retry-After; only with `rate_limited`. */
  readonly retryAfterMs: number | undefined
  readonly requestId: string | undefined
  /** The PSP repeated a stored response of the idempotency key, which is no new information (Stripe marks it). */
  readonly replayed: boolean

  constructor(
    kind: PspErrorKind,
    message: string,
    details: { retryAfterMs?: number | undefined; requestId?: string | undefined; replayed?: boolean } = {},
  ) {
    super(message)
    this.name = 'PspError'
    this.kind = kind
    this.retryAfterMs = details.retryAfterMs
    this.requestId = details.requestId
    this.replayed = details.replayed ?? false
  }
}
