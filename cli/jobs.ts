import { loadCommand } from '../db/commands/commands.ts'
import { jobOperations, listJobs, resolveJob } from '../db/commands/jobs.ts'
import { Refusal } from '../db/core/refusal.ts'
import { COMMAND_STATUSES } from '../domain/acceptance.ts'
import { type Command, oneOf, readLimit, required } from './command.ts'
import { type Approvable, approvable } from './second-person.ts'

const MOST = 1_000

const ENDS = ['succeeded', 'failed'] as const

export const resolveAction: Approvable = {
  for: 'jobs',
  summary: 'resolve a job that needs attention as the PSP shows it; the timeline has operator and reason',
  argument: 'jobId',
  options: { as: 'succeeded | failed, as the PSP shows it' },
  read: (context) => ({ subject: required(context, 'jobId'), parameters: { as: oneOf(context, 'as', ENDS) } }),
  perform: (_, trx, { subject, parameters, ...by }) =>
    resolveJob(trx, { jobId: subject as string, as: parameters.as as (typeof ENDS)[number], ...by }),
}

export const job: Record<string, Command> = {
  list: {
    summary: 'list acceptances and evidence submissions, newest first',
    options: {
      'merchant?': 'only this merchantUuid',
      'status?': COMMAND_STATUSES.join(' | '),
      'limit?': `number of jobs; 50 by default, at most ${MOST}`,
    },
    list: {
      ...{ jobId: 'jobId', kind: 'kind', status: 'status', attention: 'needsAttention', due: 'dueDate' },
      ...{ requested: 'requestedAt', error: 'error', chargebackId: 'chargebackId' },
    },
    flags: { 'needs-attention': 'only jobs whose outcome an operator has to find out' },
    run(context) {
      return listJobs(context.db, {
        merchantUuid: context.given.merchant,
        status: context.given.status === undefined ? undefined : oneOf(context, 'status', COMMAND_STATUSES),
        needsAttention: context.flag('needs-attention') ? true : undefined,
        limit: readLimit(context, MOST),
      })
    },
  },
  show: {
    summary: 'show a job with its attempts, the last error and the calls to the PSP',
    argument: 'jobId',
    async run(context) {
      const jobId = required(context, 'jobId')
      const [found] = await listJobs(context.db, { jobId, limit: 1 })
      if (!found) throw new Refusal('missing', 'job_not_found', `There is no job ${jobId}.`)
      const open = found.status === 'created' || found.status === 'inProgress'
      const command = open ? await loadCommand(context.db, jobId) : null
      // Temporal's client takes as long to load as all other code, and no other command needs it.
      const run = command && (await (await import('./temporal/job-run.ts')).jobRun(context.temporal, command))
      return { ...found, ...run, operations: await jobOperations(context.db, jobId) }
    },
  },
  resolve: approvable(resolveAction),
}
