import type { z } from 'zod'
import type { AlertFacts } from '../domain/alert.ts'
import type { ChargebackFacts, LifecycleStage, TransactionFacts } from '../domain/chargeback.ts'
import type { SecretType, Source } from '../domain/integration.ts'
import type {
  EvidenceLimits,
  EvidencePacket,
  EvidenceRequirements,
  Receipt,
  SubmissionPlan,
  SubmissionRequest,
  UploadRequest,
  WriteRequest,
} from './shared/evidence.ts'
import type { Inbox, NotificationEnvelope, NotificationRequest } from './shared/notifications.ts'

export type * from './shared/evidence.ts'
export type * from './shared/notifications.ts'

/**
 * The contract of an adapter. An adapter translates one PSP: it owns translation, its cursor and its knowledge of
 * that PSP's limits. The engine owns time, storage, retries, secrets and rate limits. An adapter never sees Temporal
 * or the database, and every error that leaves it is a `PspError`.
 */
export interface AdapterDefinition<Secret = unknown, Cursor = unknown> {
  source: Source
  displayName: string
  /** The PSP's API version this adapter is written for; pinned on the wire. */
  apiVersion: string
  /** Environment variable that moves the PSP's base address (sandbox environment only), e.g. STRIPE_API_URL. */
  baseUrlVariable: string
  /** Which of the interface's secretTypes it takes. Unknown keys pass through the schemas and are kept. */
  secrets: { [T in SecretType]?: SecretSchema<Secret> }
  cursor: CursorDefinition<Cursor>
  capabilities: Capabilities
  limits: Limits
  /** Text field of evidence → operation 1's names of the data points that mean the same, best first. */
  textSources?: Readonly<Record<string, readonly string[]>>
  /** Static part of what evidence may look like; `describeEvidence` narrows it per dispute. */
  evidence: EvidenceLimits | null

  /** Pure: the PSP's object in the service's words. Unknown enum values survive as unknown/other plus an anomaly. */
  toChargeback(raw: RawObject): Translation
  /** Bumped whenever `toChargeback` changes its answer for any object; stored objects are then translated again. */
  translationVersion: number
  /** Pure: an early warning of a shape of its own; one that comes as a dispute is `toChargeback`'s. Null for anything else. */
  toEarlyWarning?(raw: RawObject): AlertTranslation | null
  /**
   * Pure: what clients posted about one dispute (operation 21), oldest first, as this PSP would deliver it; absent = each
   * posted object is the dispute.
   */
  joinPosted?(objects: readonly string[]): string
  /**
   * Pure: whether a genuine notification may have these headers (names in lower case). Asked before its body is read:
   * what has none of the PSP's signature is not worth the memory.
   */
  hasDeliveryHeaders?(headers: NotificationRequest['headers'], now: Date): boolean
  /** Pure: what `fetchContext` brought. */
  toTransaction?(context: RawObject): TransactionFacts
  /** Pure: ordered steps, and everything that had to be dropped or shortened. Same input, same plan. */
  planSubmission?(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan
  /**
   * The PSP account that is acted on; absent = the credential's own, else the external identifier. A successful
   * `checkCredentials` has proven that the credential reaches it.
   */
  accountOf?(integration: { externalIdentifier: string; pspAccount: string | null }): string
  /**
   * What a dispute's `merchantReferenceName` is: the account that the credential belongs to, or one below it. Absent:
   * disputes don't name their account.
   */
  disputeNames?: 'account' | 'sub_account'
  /** Refuses a secret or identifier that can't work, before any call. @throws PspError config_invalid */
  checkConfiguration(configuration: { secret: Secret; externalIdentifier: string }): void

  connect(context: AdapterContext<Secret>): Adapter<Cursor>
}

export interface SecretSchema<Secret> {
  schema: z.ZodType<Secret>
  /** Keys of the payload that must never be shown; the others identify (client id, merchant code). */
  secretFields: readonly string[]
  /** Keys that verify notifications, and only those: they serve on for the overlap after the secret was replaced. */
  notificationFields: readonly string[]
}

export interface CursorDefinition<Cursor> {
  version: number
  schema: z.ZodType<Cursor>
  /** First cursor: how far back the first load reaches. */
  initial(now: Date): Cursor
  /** A stored cursor of an older version in today's shape, or null to start again from `initial`. */
  migrate(stored: { version: number; value: unknown }): Cursor | null
}

export interface Capabilities {
  listing: 'updated_window' | 'created_window' | 'inbox'
  maxLookbackDays: number
  /** Takes objects that clients post (operation 21) beside what it lists: the engine gives it an inbox for them. */
  rawData?: true
  enrich: boolean
  /** `decidedBy: 'link'`: the stages are where the PSP may offer it; whether it does, each dispute says itself. */
  accept: { stages: readonly LifecycleStage[]; decidedBy?: 'link'; idempotent: boolean } | false
  contest:
    | {
        stages: readonly LifecycleStage[]
        decidedBy?: 'link'
        mode: 'staged' | 'single_shot'
        requirements: 'static' | 'per_dispute'
        resubmit: boolean
        filesApi: boolean
      }
    | false
  /** `answer`: body of the 2xx that the PSP wants for a notification; absent = it reads none. */
  notifications: { signature: 'hmac' | 'certificate'; answer?: string } | false
}

export interface Limits {
  /** Requests per second for one account of this PSP that the engine's token bucket hands out, and how many at once. */
  requestsPerSecond: number
  burst: number
  pageSize: number
  /** Deadline of one HTTP call in ms, body included. */
  timeoutMs: number
  /** Longest idempotency key in characters; 0 where the PSP takes none. */
  idempotencyKeyLength: number
}

export interface AdapterContext<Secret> {
  secret: Secret
  externalIdentifier: string
  /** The PSP's own account id, when an earlier `checkCredentials` found it. */
  pspAccount: string | null
  /** Where the PSP answers instead of its public address; null = the public address of `environment`. */
  baseUrl: string | null
  environment: 'sandbox' | 'production'
  /** Sub-accounts of the PSP that the integration is limited to; absent or empty = all of them. */
  merchantAccountCodes?: readonly string[]
  /** The engine's fetch: takes a token from the bucket, counts, and obeys `signal`. All HTTP goes through it. */
  fetch: typeof fetch
  now: () => Date
  signal?: AbortSignal
  /** Verified notifications of this integration where `capabilities.listing` is 'inbox', posted objects where `rawData`. */
  inbox?: Inbox
}

/** One object as the PSP sent it. `text` is cut from the body, not printed again. */
export interface RawObject {
  /** The PSP's id; null when the object has none that can be read. */
  reference: string | null
  text: string
}

export type Translation =
  | { kind: 'chargeback'; facts: ChargebackFacts; anomalies: string[] }
  | { kind: 'unmappable'; reference: string | null; reason: string }

export type AlertTranslation = { kind: 'alert'; facts: AlertFacts } | { kind: 'unmappable'; reason: string }

export interface Adapter<Cursor = unknown> {
  checkCredentials(): Promise<CredentialReport>
  /**
   * The account that the credential belongs to now, when the PSP tells; null when it does not. One cheap read, to be
   * compared with the `pspAccount` that was confirmed when the integration was verified: a credential can change hands.
   * Absent where each dispute names its account itself.
   * @throws PspError of any kind that a read has
   */
  confirmAccount?(): Promise<string | null>
  listDisputes(request: ListRequest<Cursor>): Promise<DisputePage<Cursor>>
  fetchDispute(reference: string): Promise<RawObject>
  fetchContext?(dispute: RawObject): Promise<RawObject | null>
  acceptDispute?(request: WriteRequest): Promise<Receipt>
  describeEvidence?(reference: string): Promise<EvidenceRequirements>
  uploadFile?(request: UploadRequest): Promise<{ fileReference: string }>
  /** Reversible: nothing is final yet. Only where `contest.mode` is 'staged'. */
  stageEvidence?(request: SubmissionRequest): Promise<Receipt>
  /** Not reversible. */
  submitEvidence?(request: SubmissionRequest): Promise<Receipt>
  probe?(question: ProbeQuestion): Promise<ProbeAnswer>
  /**
   * Only where `listing` is 'inbox': asks whether a dispute that went silent would still take an answer. Never a status.
   */
  askAfter?(reference: string): Promise<{ answerable: boolean }>
  /** A promise where only the PSP itself can tell. @throws PspError invalid_request for what is not genuine */
  verifyNotification?(request: NotificationRequest): NotificationEnvelope | Promise<NotificationEnvelope>
  readNotification?(envelope: NotificationEnvelope): { references: string[] }
  /** The text a PSP expects when the address is registered (Braintree: GET ?bt_challenge=…). @throws PspError invalid_request */
  answerChallenge?(challenge: string): string
}

export interface CredentialReport {
  /** The account that the credential belongs to, when the PSP tells. */
  pspAccount: string | null
  mode: 'live' | 'test' | 'unknown'
  findings: { permission: string; state: 'ok' | 'missing' | 'unverified'; hint: string }[]
  /** With a `pspAccount` of null: the permission that would let the PSP tell, where there is one. */
  accountPermission?: string
}

export interface ListRequest<Cursor> {
  cursor: Cursor
  /** Posting date of the oldest dispute that may still change: what the window must reach back to. */
  oldestOpen: Date | null
}

export interface DisputePage<Cursor> {
  items: RawObject[]
  /** Advances only over what was handed out; safe to store with this page, in its transaction. */
  cursor: Cursor
  hasMore: boolean
}

/**
 * `sent`: a call of ours may have reached the PSP. Without it nothing of ours was sent, and `done` is only what the PSP itself
 * calls accepted. With it, never falsely `impossible`.
 */
export type ProbeQuestion =
  | { kind: 'acceptance'; reference: string; sent?: boolean }
  | {
      kind: 'submission'
      reference: string
      digest: string
      submissionsBefore: number
      sent?: boolean
      /** What was planned, so that texts of somebody else are told apart; absent: texts are not judged. */
      texts?: Readonly<Record<string, string>>
    }

export interface ProbeAnswer {
  answer: 'not_done' | 'done' | 'impossible' | 'unknown'
  /** A sentence for the merchant when impossible, for the operator otherwise. */
  why: string
  /** What was read: the engine stores it, so that a probe is also a refresh. */
  dispute: RawObject
  /** With `unknown`: the PSP took the write and reports its effect later. An expected wait, not a fault. */
  awaited?: true
}
