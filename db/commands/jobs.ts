import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { endCommand, lockCommand } from './command-ends.ts'
import { loadCommand } from './commands.ts'
import { closeOperations, isCalling } from './psp-operations.ts'

/** A command in the background, as operators see it. */
export interface Job {
  jobId: string
  kind: string
  status: string
  merchantUuid: string
  chargebackId: string
  integrationId: string
  round: number
  /** File of the evidence; null for an acceptance. */
  fileId: string | null
  requestedAt: Date
  deadline: Date
  dueDate: Date | null
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
      e.file_id as "fileId", k.requested_at as "requestedAt", k.deadline, c.due_date as "dueDate", k.completed_at as "completedAt",
      k.needs_attention as "needsAttention", k.attention_reason as "attentionReason",
      k.error_code as "errorCode", k.error
    from command k join chargeback c on c.id = k.chargeback_id
      left join evidence_submission e on e.command_id = k.command_id
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

/** Calls to the PSP for a job, from the ledger. */
export async function jobOperations(db: Database, jobId: string): Promise<JobOperation[]> {
  const { rows } = await sql<JobOperation>`
    select effect, state, attempts, first_sent_at as "firstSentAt", last_sent_at as "lastSentAt",
      psp_request_id as "pspRequestId", outcome
    from psp_operation where command_id = ${jobId} order by first_sent_at nulls last`.execute(db)
  return rows
}

/** `operator` and `approvedBy` are names. */
interface Resolution {
  jobId: string
  as: 'succeeded' | 'failed'
  reason: string
  operator: string
  /** The second person, where approval is needed. */
  approvedBy?: string
}

/**
 * Resolves a job with an unknown outcome by what an operator found at the PSP. Only flagged jobs can be resolved:
 * others are still in progress. Reason and operators go to the timeline; after a failure clients read the reason too.
 * @throws Refusal job_not_found, job_ended, job_at_work
 */
export async function resolveJob(db: Database, { jobId, as, reason, ...by }: Resolution): Promise<Job> {
  return inTransaction(db, async (trx) => {
    await lockCommand(trx, jobId)
    const command = await loadCommand(trx, jobId)
    if (!command) throw new Refusal('missing', 'job_not_found', `There is no job ${jobId}.`)
    if (command.status === 'succeeded' || command.status === 'failed')
      throw new Refusal('invalid', 'job_ended', `The job has ended: it ${command.status}. That never changes.`)
    if (!command.needsAttention || (await isCalling(trx, jobId)))
      throw new Refusal(
        'invalid',
        'job_at_work',
        'The job is still at work, or was a moment ago: wait, or terminate its run in the Temporal UI first.',
      )
    const end =
      as === 'succeeded' ? ({ status: as } as const) : { status: as, code: 'resolved_by_operator', error: reason }
    await closeOperations(trx, jobId, as === 'succeeded' ? 'confirmed' : 'rejected', 'told by an operator')
    if (!(await endCommand(trx, command, end, 'operator', { reason, ...by })))
      throw new Refusal('invalid', 'job_ended', 'The PSP has confirmed the job: look again.')
    const [resolved] = await listJobs(trx, { jobId, limit: 1 })
    return resolved as Job
  })
}
