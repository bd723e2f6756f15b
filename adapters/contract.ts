import type { z } from 'zod'
import type { AlertFacts } from '../domain/alert.ts'
import type { ChargebackFacts, LifecycleStage, TransactionFacts } from '../domain/chargeback.ts'
import type { TextTable } from '../domain/evidence/texts/text-table.ts'
import type { SecretType, Source } from '../domain/integration.ts'
import type { ConnectionGuide } from './shared/connecting.ts'
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
import type { DisputePage, ListRequest, RawObject } from './shared/listing.ts'
import type { Inbox, NotificationEnvelope, NotificationRequest } from './shared/notifications.ts'
import type { PspFetch } from './shared/psp-fetch.ts'

export type * from './shared/connecting.ts'
export type * from './shared/evidence.ts'
export type * from './shared/listing.ts'
export type * from './shared/notifications.ts'

/**
 * The contract of an adapter. An adapter connects one PSP: it owns translation, cursor and knowledge of the PSP's
 * limits. The engine owns time, storage, retries, secrets and rate limits. An adapter has no access to Temporal or the
 * database, and every error that leaves it is a `PspError`.
 */
export interface AdapterDefinition<Secret = unknown, Cursor = unknown> {
  source: Source
  displayName: string
  /** The PSP's API version this adapter is written for; pinned on the wire. */
  apiVersion: string
  /** Environment variable that replaces the PSP's base URL (sandbox environment only), e.g. STRIPE_API_URL. */
  baseUrlVariable: string
  /** Supported secretTypes. Unknown keys pass through the schemas and are stored. */
  secrets: { [T in SecretType]?: SecretSchema<Secret> }
  /** Words for people who connect it. Absent: a form has the names of the fields only. */
  guide?: ConnectionGuide
  cursor: CursorDefinition<Cursor>
  capabilities: Capabilities
  limits: Limits
  /** Text field of evidence → names of equivalent data points in `POST /transactions`, best first. */
  textSources?: Readonly<Record<string, readonly string[]>>
  /** Facts and sentences for the text fields of evidence. Absent: the PSP has no text fields. */
  textTable?: TextTable
  /** Static evidence limits; `describeEvidence` narrows them per dispute. */
  evidence: EvidenceLimits | null

  /** Pure: translates the PSP's object. Unknown enum values become unknown/other plus an anomaly. */
  toChargeback(raw: RawObject): Translation
  /** Incremented when any result of `toChargeback` changes; stored objects are then translated again. */
  translationVersion: number
  /**
   * Pure: translates an early warning with its own format; a warning in the form of a dispute is left to
   * `toChargeback`. Null for anything else.
   */
  toEarlyWarning?(raw: RawObject): AlertTranslation | null
  /**
   * Pure: combines the objects that clients posted about one dispute (operation 21), oldest first, as this PSP would
   * deliver it; absent = each posted object is the dispute.
   */
  joinPosted?(objects: readonly string[]): string
  /**
   * Pure: whether a genuine notification may have these headers (names in lower case). Checked before the body is read,
   * so that unsigned requests cost no memory.
   */
  hasDeliveryHeaders?(headers: NotificationRequest['headers'], now: Date): boolean
  /** Pure: translates the result of `fetchContext`. */
  toTransaction?(context: RawObject): TransactionFacts
  /** Pure: ordered steps, and everything that was dropped or shortened. Same input, same plan. */
  planSubmission?(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan
  /**
   * The PSP account that is acted on; absent = the credential's account, else the external identifier. A successful
   * `checkCredentials` has proven that the credential can access it.
   */
  accountOf?(integration: { externalIdentifier: string; pspAccount: string | null }): string
  /**
   * Meaning of a dispute's `merchantReferenceName`: the credential's account, or a sub-account. Absent: disputes don't
   * name their account.
   */
  disputeNames?: 'account' | 'sub_account'
  /** Rejects an invalid secret or identifier before any call. @throws PspError config_invalid */
  checkConfiguration(configuration: { secret: Secret; externalIdentifier: string }): void

  connect(context: AdapterContext<Secret>): Adapter<Cursor>
}

export interface SecretSchema<Secret> {
  schema: z.ZodType<Secret>
  /** Secret keys of the payload; the others are identifiers (client id, merchant code). */
  secretFields: readonly string[]
  /** Keys that only verify notifications: they stay valid for the overlap after a replacement. */
  notificationFields: readonly string[]
}

export interface CursorDefinition<Cursor> {
  version: number
  schema: z.ZodType<Cursor>
  /** First cursor; determines how far back the first load reaches. */
  initial(now: Date): Cursor
  /** Converts a stored cursor of an older version, or returns null to start again from `initial`. */
  migrate(stored: { version: number; value: unknown }): Cursor | null
  /** Names of the windows of the scan in progress, which may be read at the same time. Absent: there is one window. */
  windows?(cursor: Cursor): string[]
}

export interface Capabilities {
  listing: 'updated_window' | 'created_window' | 'inbox'
  maxLookbackDays: number
  /** Also accepts objects that clients post (operation 21): the engine provides an inbox for them. */
  rawData?: true
  enrich: boolean
  /** `decidedBy: 'link'`: the PSP may offer it in these stages; each dispute says whether it does. */
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
  /** `answer`: response body that the PSP expects for a notification; absent = none. */
  notifications: { signature: 'hmac' | 'certificate'; answer?: string } | false
}

export interface Limits {
  /** Rate and burst of the engine's token bucket for one account of this PSP, in requests per second. */
  requestsPerSecond: number
  burst: number
  pageSize: number
  /** Deadline of one HTTP call in ms, body included. */
  timeoutMs: number
  /** Maximum length of an idempotency key in characters; 0 where the PSP has none. */
  idempotencyKeyLength: number
}

export interface AdapterContext<Secret> {
  secret: Secret
  externalIdentifier: string
  /** The PSP's account id, if an earlier `checkCredentials` found it. */
  pspAccount: string | null
  /** Base URL that replaces the PSP's; null = the public URL of `environment`. */
  baseUrl: string | null
  environment: 'sandbox' | 'production'
  /** Sub-accounts that the integration is limited to; absent or empty = all. */
  merchantAccountCodes?: readonly string[]
  /**
   * The engine's fetch: takes a token from the bucket, counts, and is aborted when the poll or command is cancelled. All
   * HTTP requests use it, each with a `timeoutMs`.
   */
  fetch: PspFetch
  now: () => Date
  /** Verified notifications of this integration if `capabilities.listing` is 'inbox', posted objects if `rawData`. */
  inbox?: Inbox
}

export type Translation =
  | { kind: 'chargeback'; facts: ChargebackFacts; anomalies: string[] }
  | { kind: 'unmappable'; reference: string | null; reason: string }

export type AlertTranslation = { kind: 'alert'; facts: AlertFacts } | { kind: 'unmappable'; reason: string }

export interface Adapter<Cursor = unknown> {
  checkCredentials(): Promise<CredentialReport>
  /**
   * The credential's current account, if the PSP reports it, else null. One cheap read, compared with the `pspAccount`
   * that was confirmed at verification, because a credential can change hands. Absent if each dispute names its
   * account.
   * @throws PspError of any kind that a read has
   */
  confirmAccount?(): Promise<string | null>
  listDisputes(request: ListRequest<Cursor>): Promise<DisputePage<Cursor>>
  fetchDispute(reference: string): Promise<RawObject>
  fetchContext?(dispute: RawObject): Promise<RawObject | null>
  acceptDispute?(request: WriteRequest): Promise<Receipt>
  describeEvidence?(reference: string): Promise<EvidenceRequirements>
  uploadFile?(request: UploadRequest): Promise<{ fileReference: string }>
  /** Reversible. Only if `contest.mode` is 'staged'. */
  stageEvidence?(request: SubmissionRequest): Promise<Receipt>
  /** Irreversible. */
  submitEvidence?(request: SubmissionRequest): Promise<Receipt>
  probe?(question: ProbeQuestion): Promise<ProbeAnswer>
  /** Only if `listing` is 'inbox': asks whether a stale dispute can still be answered. Never returns a status. */
  checkAnswerable?(reference: string): Promise<{ answerable: boolean }>
  /**
   * Async when only the PSP itself can verify. @throws PspError invalid_request for a notification that is not genuine
   */
  verifyNotification?(request: NotificationRequest): NotificationEnvelope | Promise<NotificationEnvelope>
  readNotification?(envelope: NotificationEnvelope): { references: string[] }
  /**
   * The response that a PSP expects when the address is registered (Braintree: GET ?bt_challenge=…). @throws PspError
   * invalid_request
   */
  answerChallenge?(challenge: string): string
}

export interface CredentialReport {
  /** The credential's account, if the PSP reports it. */
  pspAccount: string | null
  mode: 'live' | 'test' | 'unknown'
  findings: { permission: string; state: 'ok' | 'missing' | 'unverified'; hint: string }[]
  /** When `pspAccount` is null: the permission that would let the PSP report it, if there is one. */
  accountPermission?: string
}

/** What is known of Recoup's own call before the probe. */
interface OwnCall {
  /**
   * A call may have reached the PSP. If false, `done` is allowed only if the PSP itself reports the dispute as accepted.
   * If true, never falsely `impossible`.
   */
  sent?: boolean
  /** The PSP responded to a call that it takes it; implies `sent`. Without it, a state that others can cause is not `done`. */
  taken?: boolean
}

export type ProbeQuestion = OwnCall &
  (
    | { kind: 'acceptance'; reference: string }
    | {
        kind: 'submission'
        reference: string
        digest: string
        submissionsBefore: number
        /** The planned texts, to distinguish those of others; absent: texts are not compared. */
        texts?: Readonly<Record<string, string>>
      }
  )

export interface ProbeAnswer {
  answer: 'not_done' | 'done' | 'impossible' | 'unknown'
  /** A sentence for the merchant when impossible, for the operator otherwise. */
  why: string
  /** The object that was read: the engine stores it, so that a probe is also a refresh. */
  dispute: RawObject
  /** With `unknown`: the PSP accepted the write and reports its effect later. An expected wait, not a fault. */
  awaited?: true
  /**
   * With `unknown`: the same call under the same idempotency key may tell, because the PSP repeats the success that it
   * stored. Without one it must refuse, and change nothing.
   */
  repeatable?: true
}
