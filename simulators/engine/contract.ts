import type { CardScheme, LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { Malformed } from './control/bodies.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** A state of a dispute at this PSP. */
export interface Situation {
  /** The PSP's own status value. */
  word: string
  status: PspStatus
  stage: LifecycleStage
  /** Open: the merchant has to answer. */
  open: boolean
  /** Distinguishes situations with the same status; the profile's builder reads it. */
  variant: string
  /** Kinds of reason that fit. */
  reasonKinds: readonly string[]
  /** Only used by an order without special wishes or with this variant. */
  special?: true
}

export interface ReasonWord {
  kind: string
  scheme: CardScheme | null
  /** Network reason code; null when the payment method has none. */
  code: string | null
  /** The PSP's own value. */
  word: string
  /** Only used when the order names it. */
  special?: true
}

/** The plan of a created dispute. Everything else is derived from `token`, so a plan needs little memory. */
export interface DisputePlan {
  token: string
  reference: string
  account: string
  /** Index in the profile's situations and reasons. */
  situation: number
  reason: number
  /** Unix seconds, like every time of the engine. */
  createdAt: number
  chargedAt: number
  dueAt: number | null
  /** Decision date, if decided; not later than the order. */
  endedAt: number
  /** Arrival at an account that had disputes before; null for those of the first order. */
  appearedAt: number | null
  /** Minor units as the PSP counts them. */
  amount: number
  chargeAmount: number
  currency: string
}

/** The fields of a PSP's object that the engine reads. */
export interface Reading {
  reference: string | null
  word: string
  createdAt: number | null
  /** When a missed deadline takes effect; null when it can't any more. */
  deadline: number | null
  /** Identifiers that the PSP's lists filter by (charge, payment intent, …). */
  links: string[]
}

/** The PSP's responses to a refused credential, a missing permission, a conflict, too many calls, and a failure. */
export type ErrorAnswerKind = '401' | '403' | '409' | '429' | '500' | '503'

export type Outcome = 'won' | 'lost' | 'split' | 'reopened'

export interface EventDraft {
  type: string
  previous: JsonObject | null
}

export interface FaultAnswer {
  status: number
  body: string
  headers: Record<string, string>
}

/** The part of the engine that a notification may read. */
export interface DisputeLookup {
  readonly profile: PspProfile
  /** The dispute in `account`, or in any account when none is given. */
  find(reference: string, account?: string): DisputeRecord | undefined
}

/** PSP-specific part of a simulated PSP. Functions with a `dispute` parameter change it in place. */
export interface PspProfile {
  /** The account of the valid credential; default of `account` in the control interface. */
  homeAccount: string
  situations: readonly Situation[]
  reasons: readonly ReasonWord[]
  currencies: readonly { code: string; exponent: number; weight: number }[]
  /** Request header with the idempotency key, lower case; null when the PSP has none. */
  idempotencyHeader: string | null
  notificationSecret: string
  /** Set when each account signs its notifications with its own secret. */
  notificationSecretOf?(account: string): string
  referenceOf(token: string): string
  build(plan: DisputePlan): JsonObject
  read(dispute: JsonObject): Reading
  /** Past events of a dispute created in this situation, oldest first. */
  firstEvents(plan: DisputePlan): { type: string; at: number }[]
  eventsBetween(before: JsonObject, after: JsonObject): EventDraft[]
  /** Past events of an object that was added unchanged, at PSPs that report disputes by events only. */
  plantedEvents?(dispute: JsonObject): EventDraft[]
  /** Called when the deadline has passed. */
  expire(dispute: JsonObject, at: number): void
  /** Called when the issuer or the PSP decides. @returns a sentence when the PSP has no such decision here */
  decide(dispute: JsonObject, outcome: Outcome, at: number): string | null
  /** Moves the due date. */
  setDeadline(dispute: JsonObject, dueAt: number | null): void
  /** Called after every change of a dispute, for PSPs with time stamps or derived fields. */
  touch?(before: JsonObject, after: JsonObject, at: number): void
  /** The text of a dispute with one malformation, if the PSP's fields differ from those of `malformedText`. */
  malformed?(kind: Malformed, dispute: JsonObject): string
  setStatus(dispute: JsonObject, word: string): void
  setAmount(dispute: JsonObject, amount: number, currency: string): void
  /** Path of the currency code, if it isn't `currency`. */
  currencyOf?(dispute: JsonObject): Json | undefined
  errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer
  /** A valid request that is refused; absent when the response equals that of a conflict. */
  unprocessableAnswer?(): FaultAnswer
  /** 429 because another request locks the object; absent when it equals any other 429. */
  lockAnswer?(): FaultAnswer
  /** A list that is empty but continues, repeats its first item, or never ends. */
  reshapePage(kind: 'empty_page' | 'repeated_item' | 'endless_pages', body: string): string
  /** A signed notification altered outside its signature; null when the signature covers everything. */
  alterNotification?(body: string, how: 'altered' | 'wrong_environment'): string | null
  /** Body and headers of a signed notification. */
  notification(
    engine: DisputeLookup,
    event: EventRecord,
    secret: string,
    signedAt: number,
  ): { body: string; headers: Record<string, string> }
}

/** Position in a list: time, then order of arrival. */
export interface Ordered {
  at: number
  sequence: number
}

export interface DisputeRecord extends Ordered {
  reference: string
  account: string
  /** Null for a dispute that was added unchanged. */
  plan: DisputePlan | null
  /** The object as JSON text once it differs from its plan. */
  text: string | null
  word: string
  deadline: number | null
  /** A scheduled decision. */
  pending: { at: number; outcome: Outcome } | null
  /** Incremented when a dispute is reopened. */
  round: number
}

export interface EventRecord extends Ordered {
  id: string
  account: string
  type: string
  reference: string
  /** The dispute's text at that time; null = according to its plan. */
  text: string | null
  previous: JsonObject | null
}

export interface FileRecord extends Ordered {
  id: string
  account: string
  name: string
  purpose: string
  type: string
  bytes: number
  sha256: string
  content: Buffer
}

export interface CallRecord {
  id: number
  requestId: string
  /** ISO 8601, real time. */
  when: string
  method: string
  path: string
  query: string
  account: string | null
  idempotencyKey: string | null
  bodyBytes: number
  bodySha256: string | null
  /** Null while in progress, and when no response was sent. */
  status: number | null
  /** running, held, dropped, answered, replayed, or the fault that struck it. */
  outcome: string
}

export interface EffectRecord {
  id: number
  when: string
  kind: 'acceptance' | 'submission' | 'upload'
  account: string
  /** The dispute; null for an upload, which belongs to no dispute yet. */
  ref: string | null
  round: number
  idempotencyKey: string | null
  requestId: string
  details: JsonObject
}

export interface StoredResponse {
  key: string
  at: number
  fingerprint: string
  status: number
  body: string
}
