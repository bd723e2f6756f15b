import type { CardScheme, LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { Malformed } from './control/bodies.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** A state of a dispute as this PSP knows it. */
export interface Situation {
  /** The PSP's own status word. */
  word: string
  status: PspStatus
  stage: LifecycleStage
  /** Waits for the merchant. */
  open: boolean
  /** What tells situations with the same word apart; the profile's builder reads it. */
  variant: string
  /** Which kinds of reason go with it. */
  reasonKinds: readonly string[]
  /** Only in an order that wants nothing special, or names the variant: it is too special for any other. */
  special?: true
}

export interface ReasonWord {
  kind: string
  scheme: CardScheme | null
  /** Network reason code; null where the payment method has none. */
  code: string | null
  /** The PSP's own word. */
  word: string
  /** No dispute has it unless the order names this word. */
  special?: true
}

/** What a created dispute is made from. Everything else about it is drawn from `token`, so it costs little to keep. */
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
  /** When it was decided, if it is; not later than the moment it was ordered. */
  endedAt: number
  /** When it came to an account that had disputes before; null for those of the first order. */
  appearedAt: number | null
  /** Minor units as the PSP counts them. */
  amount: number
  chargeAmount: number
  currency: string
}

/** What the engine reads from a PSP's object. */
export interface Reading {
  reference: string | null
  word: string
  createdAt: number | null
  /** When silence of the merchant has its effect; null when it has none any more. */
  deadline: number | null
  /** Identifiers the PSP's lists filter by (charge, payment intent, …). */
  links: string[]
}

/** What the PSP answers in its own words: a refused credential, a lacking right, a conflict, too many calls, trouble. */
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

/** What a notification may read of the engine. */
export interface DisputeLookup {
  readonly profile: PspProfile
  /** The dispute in `account`, or wherever it is when no account is named. */
  find(reference: string, account?: string): DisputeRecord | undefined
}

/** What the PSP-neutral engine has to know about one PSP. Functions that take a `dispute` change it in place. */
export interface PspProfile {
  /** The account that the valid credential itself belongs to; default of `account` in the control surface. */
  homeAccount: string
  situations: readonly Situation[]
  reasons: readonly ReasonWord[]
  currencies: readonly { code: string; exponent: number; weight: number }[]
  /** Request header with the idempotency key, lower case; null where the PSP takes none. */
  idempotencyHeader: string | null
  notificationSecret: string
  /** Where each account's notifications are signed with a secret of its own. */
  notificationSecretOf?(account: string): string
  referenceOf(token: string): string
  build(plan: DisputePlan): JsonObject
  read(dispute: JsonObject): Reading
  /** Events that a dispute created in this situation has behind it, oldest first. */
  firstEvents(plan: DisputePlan): { type: string; at: number }[]
  eventsBetween(before: JsonObject, after: JsonObject): EventDraft[]
  /** Events that an object has behind it that was planted as it is, where the PSP tells of disputes by events only. */
  plantedEvents?(dispute: JsonObject): EventDraft[]
  /** The deadline has passed. */
  expire(dispute: JsonObject, at: number): void
  /** The issuer or the PSP decides. @returns a sentence when the PSP knows no such decision here. */
  decide(dispute: JsonObject, outcome: Outcome, at: number): string | null
  /** Moves the due date. */
  setDeadline(dispute: JsonObject, dueAt: number | null): void
  /** Called after every change of a dispute, for PSPs that stamp it or derive fields from others. */
  touch?(before: JsonObject, after: JsonObject, at: number): void
  /** The text of a dispute broken in one way, where the PSP's fields are not called as `malformedText` expects. */
  malformed?(kind: Malformed, dispute: JsonObject): string
  setStatus(dispute: JsonObject, word: string): void
  setAmount(dispute: JsonObject, amount: number, currency: string): void
  /** Currency code of a dispute, where it isn't at `currency`. */
  currencyOf?(dispute: JsonObject): Json | undefined
  errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer
  /** The request is understood and refused; absent where the PSP answers so as it does to a conflict. */
  unprocessableAnswer?(): FaultAnswer
  /** 429 because another request holds the object; absent where it is the same as any 429. */
  lockAnswer?(): FaultAnswer
  /** A list that is empty but goes on, shows its first item twice, or always says that there is more. */
  reshapePage(kind: 'empty_page' | 'repeated_item' | 'endless_pages', body: string): string
  /** A signed notification changed where its signature does not look; null where it covers everything. */
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
  /** Null for a dispute that was planted as it is. */
  plan: DisputePlan | null
  /** The object as JSON text once it is not what the plan gives. */
  text: string | null
  word: string
  deadline: number | null
  /** A decision that is on its way. */
  pending: { at: number; outcome: Outcome } | null
  /** Grows when a dispute is reopened. */
  round: number
}

export interface EventRecord extends Ordered {
  id: string
  account: string
  type: string
  reference: string
  /** The dispute's text at that time; null = as its plan gives it. */
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
  /** Null while it is being answered, and when no answer was sent. */
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
