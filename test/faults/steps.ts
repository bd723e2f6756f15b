import type { Capabilities } from '../../adapters/contract.ts'
import type { FaultPoint } from '../harness/fault-points/points.ts'

export type Contest = Capabilities['contest']

/** What a client can request. */
export type CommandKind = 'acceptance' | 'submission'
/** Work that a fault can hit: commands, Recoup's own polls, deliveries and packages, or the rotation of a secret. */
export type WorkKind = CommandKind | 'ingestion' | 'notification' | 'rotation' | 'build' | 'automatic submission'

/** Which request is in flight at the PSP. */
export type RequestName = 'accept' | 'upload' | 'stage' | 'submit'

export type Hold =
  /** Work waits at a fault point, in the process that reaches it. */
  | { at: 'point'; point: FaultPoint; by: 'api' | 'relay' | 'worker' }
  /** The request is in flight at the PSP, which applies or loses it; its response never arrives. */
  | { at: 'wire'; request: RequestName; outcome: 'applied' | 'lost' }
  /** A request of a poll is in flight at the PSP, from the beginning; `PollStep.wire` says which. */
  | { at: 'request' }
  /** Another transaction has locked the chargeback's row, and the request's transaction waits for it. */
  | { at: 'lock' }

/** A point between a client's request and the projected result at which a fault can hit. */
export interface Step<Work extends WorkKind = CommandKind> {
  key: string
  command: Work
  /** What has happened so far, for the report. */
  title: string
  hold: Hold
  /** For a submission of two documents. */
  twoDocuments?: true
  /** Why an adapter has no such step, or null. */
  impossible(contest: Contest): string | null
}

const always = () => null
const ONE_CALL = 'this PSP accepts the evidence in one call: nothing is staged'
const stagedOnly = (contest: Contest) => (contest !== false && contest.mode === 'staged' ? null : ONE_CALL)
const uploadsOnly = (contest: Contest) =>
  contest !== false && contest.filesApi
    ? null
    : 'this PSP accepts the document within another call: there is no separate upload'

const worker = (point: FaultPoint): Hold => ({ at: 'point', point, by: 'worker' })

function stepsOf(command: CommandKind): Step[] {
  const prefix = command === 'acceptance' ? '' : 'evidence_'
  const name = command === 'acceptance' ? 'accept' : 'submit'
  const step = (key: string, title: string, hold: Hold, impossible: Step['impossible'] = always): Step => ({
    ...{ key: `${prefix}${key}`, command, title, hold, impossible },
  })
  const preparing = [
    step(
      'before_plan',
      'the workflow run has started, the evidence requirements are not read at the PSP',
      worker('submit.before_plan'),
    ),
    step('after_plan', 'the plan is stored, nothing is sent', worker('submit.after_plan')),
    step('before_upload', 'an upload is recorded, the call is not made', worker('submit.before_upload'), uploadsOnly),
    step('upload_applied', 'the file is at the PSP, the response is lost', wire('upload', 'applied'), uploadsOnly),
    step('upload_lost', 'the upload request is lost', wire('upload', 'lost'), uploadsOnly),
    step('after_upload', 'the file is at the PSP, its id is not stored', worker('submit.after_upload'), uploadsOnly),
    {
      ...step(
        'between_uploads',
        'one file is at the PSP, the next is not',
        worker('submit.between_uploads'),
        uploadsOnly,
      ),
      twoDocuments: true as const,
    },
    step('before_stage', 'everything is uploaded, nothing is staged', worker('submit.before_stage'), stagedOnly),
    step(
      'stage_applied',
      'the PSP has staged the evidence, its response is lost',
      wire('stage', 'applied'),
      stagedOnly,
    ),
    step('stage_lost', 'the staging request is lost', wire('stage', 'lost'), stagedOnly),
    step('after_stage', 'staged and read back, not submitted', worker('submit.after_stage'), stagedOnly),
  ]
  return [
    step('before_commit', 'the API has the request, nothing is committed', { at: 'lock' }),
    step('before_start', 'row and outbox are committed, the API is about to start the workflow run', {
      ...{ at: 'point', point: 'dispatch.before_start', by: 'api' },
    }),
    step('before_relay_start', 'row and outbox are committed, the relay is about to start the workflow run', {
      ...{ at: 'point', point: 'dispatch.before_start', by: 'relay' },
    }),
    step('after_start', 'the workflow run has started, its outbox message is still open', {
      ...{ at: 'point', point: 'dispatch.after_start', by: 'api' },
    }),
    ...(command === 'submission' ? preparing : []),
    step('before_probe', 'the attempt has begun, the dispute is not read at the PSP', worker(`${name}.before_probe`)),
    step('before_call', 'the PSP shows the dispute as open, no effect is recorded', worker(`${name}.before_psp`)),
    step('ledger_written', 'the effect is recorded as being sent, the call is not made', worker(`${name}.before_call`)),
    step('applied_unanswered', 'the PSP has applied it, its response is lost', wire(name, 'applied')),
    step('lost_unanswered', 'the request is lost, there is no response', wire(name, 'lost')),
    step('after_answer', 'the PSP has responded, nothing is recorded', worker(`${name}.after_psp`)),
    step(
      'before_confirm',
      'the response is recorded, the dispute was not read again',
      worker(`${name}.before_confirm`),
    ),
    step('before_record', 'confirmed by a second read, nothing is projected', worker(`${name}.before_record`)),
    step('during_projection', 'in the transaction that projects the result', worker(`${name}.during_record`)),
    step('after_record', 'the row is final, the workflow run is not', worker(`${name}.after_record`)),
  ]
}

function wire(request: RequestName, outcome: 'applied' | 'lost'): Hold {
  return { at: 'wire', request, outcome }
}

/** In the order in which they happen. */
export const STEPS: readonly Step[] = [...stepsOf('acceptance'), ...stepsOf('submission')]
