import { sql } from 'kysely'
import type { Database } from './connect.ts'

/** A command in the background as its operator sees it. */
export interface Job {
  jobId: string
  kind: string
  status: string
  merchantUuid: string
  chargebackId: string
  integrationId: string
  round: number
  requestedAt: Date
  deadline: Date
  completedAt: Date | null
  needsAttention: boolean
  attentionReason: string | null
  errorCode: string | null
  error: string | null
}

export interface JobFilter {
  jobId?: string | undefined
  merchantUuid?: string | undefined
  status?: string | undefined
  needsAttention?: boolean | undefined
  limit: number
}

/** Newest first. */
export async function listJobs(db: Database, filter: JobFilter): Promise<Job[]> {
  const { jobId = null, merchantUuid = null, status = null, needsAttention = null } = filter
  const { rows } = await sql<Job>`
    select k.command_id as "jobId", k.kind, k.status, k.merchant_uuid as "merchantUuid",
      k.chargeback_id as "chargebackId", c.integration_id as "integrationId", k.round,
      k.requested_at as "requestedAt", k.deadline, k.completed_at as "completedAt",
      k.needs_attention as "needsAttention", k.attention_reason as "attentionReason",
      k.error_code as "errorCode", k.error
    from command k join chargeback c on c.id = k.chargeback_id
    where (${jobId}::uuid is null or k.command_id = ${jobId})
      and (${merchantUuid}::uuid is null or k.merchant_uuid = ${merchantUuid})
      and (${status}::text is null or k.status = ${status})
      and (${needsAttention}::boolean is null or k.needs_attention = ${needsAttention})
    order by k.requested_at desc, k.command_id desc limit ${filter.limit}`.execute(db)
  return rows
}

export interface JobOperation {
  effect: string
  state: string
  attempts: number
  firstSentAt: Date | null
  lastSentAt: Date | null
  pspRequestId: string | null
  outcome: string | null
}

/** What was sent to the PSP for a job. */
export async function jobOperations(db: Database, jobId: string): Promise<JobOperation[]> {
  const { rows } = await sql<JobOperation>`
    select effect, state, attempts, first_sent_at as "firstSentAt", last_sent_at as "lastSentAt",
      psp_request_id as "pspRequestId", outcome
    from psp_operation where command_id = ${jobId} order by first_sent_at nulls last`.execute(db)
  return rows
}
