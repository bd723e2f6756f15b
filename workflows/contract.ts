import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common'

/** Names, ids and argument types that starters, workflows and activities share. Ids and counts only: no secret, no person. */

/** By class of work, never by tenant. */
export const QUEUES = {
  commands: 'commands',
  polling: 'polling',
  records: 'records',
  operations: 'operations',
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

export const WORKFLOWS = {
  acceptChargeback: 'acceptChargeback',
  pollIntegration: 'pollIntegration',
  verifyIntegration: 'verifyIntegration',
  reconcile: 'reconcile',
  reportDrift: 'reportDrift',
} as const

/** A case that was reopened at a higher stage is accepted anew: a further round, a further id. */
export const acceptanceWorkflowId = (chargebackId: string, round: number) =>
  round === 1 ? `accept:${chargebackId}` : `accept:${chargebackId}:${round}`
export const pollScheduleId = (integrationId: string) => `poll:${integrationId}`
export const verificationWorkflowId = (integrationId: string) => `verify:${integrationId}`
export const driftWorkflowId = (integrationId: string) => `drift:${integrationId}`
export const RECONCILE_SCHEDULE_ID = 'ops:reconcile'

/** Time-outs that tests shorten; everything else about time is a constant of its workflow. */
export interface Pace {
  /** Activity of one PSP command, start to close, ms. */
  commandMs: number
  /** Heartbeat time-out of a poll slice, ms. */
  heartbeatMs: number
  /** First pause before a refused credential is tried again, ms; doubles up to 12 h. */
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
  /** ISO time after which an unsettled outcome is flagged for operators. */
  deadline: string
  pace: Pace
}

export interface VerifyIntegrationInput {
  integrationId: string
  merchantUuid: string
  source: string
  pace: Pace
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

/** Rows of the outbox: what is to be done at Temporal, by kind. */
export type OutboxMessage =
  | { kind: 'accept_chargeback'; payload: { acceptanceId: string } }
  | { kind: 'verify_integration'; payload: { integrationId: string } }
  | { kind: 'sync_schedule'; payload: { integrationId: string } }
  | { kind: 'poll_now'; payload: { integrationId: string } }
  | { kind: 'report_drift'; payload: { integrationId: string } }
