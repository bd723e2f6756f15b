import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common'
import { type Dispute, effectName } from '../domain/dispute.ts'

/**
 * Names, ids and argument types shared by starters, workflows and activities. Ids and counts only: no secret, no
 * personal data.
 */

/** Task queues by class of work, not by tenant. */
export const QUEUES = {
  commands: 'commands',
  polling: 'polling',
  backfills: 'backfills',
  records: 'records',
  operations: 'operations',
  building: 'building',
} as const

export const SEARCH_ATTRIBUTES = {
  MerchantId: defineSearchAttributeKey('MerchantId', SearchAttributeType.KEYWORD),
  IntegrationId: defineSearchAttributeKey('IntegrationId', SearchAttributeType.KEYWORD),
  Psp: defineSearchAttributeKey('Psp', SearchAttributeType.KEYWORD),
  ChargebackId: defineSearchAttributeKey('ChargebackId', SearchAttributeType.KEYWORD),
  CommandId: defineSearchAttributeKey('CommandId', SearchAttributeType.KEYWORD),
  CommandState: defineSearchAttributeKey('CommandState', SearchAttributeType.KEYWORD),
  EffectiveAt: defineSearchAttributeKey('EffectiveAt', SearchAttributeType.DATETIME),
} as const

/** Values of the search attribute CommandState. */
export const COMMAND_STATES = {
  created: 'created',
  inProgress: 'inProgress',
  /** Open and near the due date. */
  dueSoon: 'due_soon',
  needsAttention: 'needs_attention',
  succeeded: 'succeeded',
  failed: 'failed',
} as const

/** Signal to a command's workflow. */
export const DUE_SOON = 'dueSoon'
/** Signal to the workflow that decides chargebacks again. */
export const SCOPE_CHANGED = 'scopeChanged'

export const WORKFLOWS = {
  acceptChargeback: 'acceptChargeback',
  submitEvidence: 'submitEvidence',
  draftEvidence: 'draftEvidence',
  rotateSecret: 'rotateSecret',
  deactivateOnDate: 'deactivateOnDate',
  pollIntegration: 'pollIntegration',
  pollShard: 'pollShard',
  ingestRawData: 'ingestRawData',
  reevaluateScope: 'reevaluateScope',
  verifyIntegration: 'verifyIntegration',
  reconcile: 'reconcile',
  reportDrift: 'reportDrift',
  removeDataSubject: 'removeDataSubject',
  buildPackage: 'buildPackage',
} as const

/**
 * Workflow ids of commands derive from the dispute at the PSP and the round, so that Temporal too rejects a second run
 * for the same dispute. A case that was reopened at a higher stage has a new round and a new id.
 */
export const acceptanceWorkflowId = (dispute: Dispute, round: number) => effectName('accept', dispute, round)
export const submissionWorkflowId = (dispute: Dispute, round: number) => effectName('evidence', dispute, round)
export const ingestionWorkflowId = (ingestionId: string) => `ingestion:${ingestionId}`
/** By merchant and PSP: one run at a time for all of the merchant's integrations there. */
export const scopeWorkflowId = (merchantUuid: string, source: string) => `scope:${merchantUuid}:${source}`
export const draftWorkflowId = (planId: string) => `evidence-plan:${planId}`
export const rotationWorkflowId = (rotationId: string) => `rotate-secret:${rotationId}`
export const pollScheduleId = (integrationId: string) => `poll:${integrationId}`
/** From 1. */
export const shardScheduleId = (shard: number) => `poll-shard:${shard}`
/** Null for any other schedule. */
export const shardOf = (scheduleId: string) => Number(/^poll-shard:(\d+)$/.exec(scheduleId)?.[1] ?? 0) || null
export const verificationWorkflowId = (integrationId: string) => `verify:${integrationId}`
export const deactivationWorkflowId = ({ kind, id }: { kind: DeactivatedKind; id: string }) =>
  `deactivate:${kind}:${id}`
export const driftWorkflowId = (integrationId: string) => `drift:${integrationId}`
export const packageWorkflowId = (chargebackId: string) => `package:${chargebackId}`
export const removalWorkflowId = (removalId: string) => `removal:${removalId}`
export const RECONCILE_SCHEDULE_ID = 'ops:reconcile'

/** Time-outs that tests shorten; other times are constants of their workflow. */
export interface Pace {
  /** Activity of one PSP command, start to close, ms. */
  commandMs: number
  /** Heartbeat time-out of a poll slice, ms. */
  heartbeatMs: number
  /** First pause before a refused credential is checked again, ms; doubles up to 12 h. */
  recheckMs: number
  /** First pause between attempts at a PSP, ms; doubles. */
  retryMs: number
}

export interface AcceptChargebackInput {
  acceptanceId: string
  chargebackId: string
  integrationId: string
  merchantUuid: string
  psp: string
  /** ISO time after which an unresolved outcome is flagged for operators. */
  deadline: string
  pace: Pace
}

export type DeactivatedKind = 'merchant' | 'integration'

/** A requested date; the highest revision wins. */
export interface DeactivationDate {
  /** ISO time. */
  effectiveAt: string
  revision: number
}

export interface DeactivateOnDateInput extends DeactivationDate {
  kind: DeactivatedKind
  id: string
  pace: Pace
}

/** Progress through the chargebacks of a deactivation: the integration, and the last id of its previous slice. */
export interface DeactivationPlace {
  integrationId: string | null
  after: string | null
}

/** Update of deactivateOnDate: moves its date. */
export const RESCHEDULE = 'reschedule'

export interface SubmitEvidenceInput {
  submitEvidenceId: string
  chargebackId: string
  integrationId: string
  merchantUuid: string
  psp: string
  /** ISO time after which an unresolved outcome is flagged for operators. */
  deadline: string
  pace: Pace
}

export interface RemoveDataSubjectInput {
  removalId: string
  pace: Pace
}

export interface BuildPackageInput {
  chargebackId: string
}

/** A dry run. */
export interface DraftEvidenceInput {
  planId: string
  psp: string
}

/** A new secret that a client waits for: its id, never the secret. */
export interface RotateSecretInput {
  rotationId: string
  psp: string
}

export interface VerifyIntegrationInput {
  integrationId: string
  merchantUuid: string
  source: string
  pace: Pace
}

export interface IngestRawDataInput {
  ingestionId: string
  dataSource: string
  dataType: string
  pace: Pace
}

/** `asked` counts the requests to decide an integration's chargebacks again. */
export interface ScopeChange {
  integrationId: string
  asked: number
}

export interface ReevaluateScopeInput {
  /** Highest known count by integration, and the count still due; both carried over by continue-as-new. */
  known: [string, number][]
  due: [string, number][]
  totals: { seen: number; changed: number }
}

export interface ReportDriftInput {
  integrationId: string
  merchantUuid: string
  source: string
  pace: Pace
}

export interface PollIntegrationInput {
  integrationId: string
  merchantUuid: string
  source: string
  pace: Pace
  /** Carried over by continue-as-new. */
  totals?: PollTotals
  iteration?: number
}

export interface PollTotals {
  pages: number
  seen: number
  created: number
  changed: number
  quarantined: number
  enriched: number
}

export interface PollShardInput {
  /** From 1. */
  shard: number
  pace: Pace
}

/** What a shard's run came to. */
export interface ShardTotals extends PollTotals {
  /** Integrations polled to the end of their list. */
  polled: number
  /** To be continued at once: their time was over, or the run was interrupted. */
  unfinished: number
  failed: number
  /** Ids of some that had something new or changed. */
  withNews: string[]
  /** Ids of some that failed or were stopped. */
  withProblems: string[]
}

/** Outbox rows: work for Temporal, by kind. */
export type OutboxMessage =
  | { kind: 'accept_chargeback'; payload: { acceptanceId: string } }
  | { kind: 'submit_evidence'; payload: { submitEvidenceId: string } }
  | { kind: 'verify_integration'; payload: { integrationId: string } }
  | { kind: 'rotate_secret'; payload: { rotationId: string } }
  | { kind: 'sync_schedule'; payload: { integrationId: string } }
  | { kind: 'poll_now'; payload: { integrationId: string } }
  | { kind: 'ingest_raw_data'; payload: { ingestionId: string } }
  | { kind: 'remove_data_subject'; payload: { removalId: string } }
  | { kind: 'report_drift'; payload: { integrationId: string } }
  | { kind: 'reevaluate_scope'; payload: { integrationId: string } }
  | { kind: 'deactivate'; payload: { kind: DeactivatedKind; id: string } }
