/** What went wrong at a PSP, in the words the engine decides by. */
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

/** Kinds that no retry can change. A write that ended so was not applied. */
export const DEFINITE_KINDS = [
  'config_invalid',
  'auth_failed',
  'permission_missing',
  'not_found',
  'rejected_final',
  'invalid_request',
] as const satisfies readonly PspErrorKind[]

/**
 * The only error that leaves an adapter. `message` is a sentence of ours that a merchant's engineer can act on; it may
 * name accounts, but never a PSP's text, a URL, a header, a key or personal data. `requestId` is the PSP's, for its support.
 */
export class PspError extends Error {
  readonly kind: PspErrorKind
  /** Milliseconds to wait, from Retry-After; only with `rate_limited`. */
  readonly retryAfterMs: number | undefined
  readonly requestId: string | undefined
  /** A PSP answered from its idempotency store: the answer says nothing new (Stripe marks it). */
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
