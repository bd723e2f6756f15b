import type { Capabilities } from '../../adapters/contract.ts'
import type { FaultPoint } from '../harness/fault-points/points.ts'

export type Contest = Capabilities['contest']

/** What a client asks for. */
export type CommandKind = 'acceptance' | 'submission'
/** Work that a fault can strike: that, what Recoup does by itself, or the replacement of a secret. */
export type WorkKind = CommandKind | 'ingestion' | 'notification' | 'rotation'

/** Which of the PSP's requests is in its hands. */
export type RequestName = 'accept' | 'upload' | 'stage' | 'submit'

export type Hold =
  /** Work waits at a fault point, in the process that comes there. */
  | { at: 'point'; point: FaultPoint; by: 'api' | 'relay' | 'worker' }
  /** The PSP has the request in hand; it applies it or loses it, and its answer never arrives. */
  | { at: 'wire'; request: RequestName; outcome: 'applied' | 'lost' }
  /** The PSP has a request of a poll in hand, from the beginning; `PollStep.wire` says which. */
  | { at: 'request' }
  /** Another transaction holds the chargeback's row, which the request's own waits for. */
  | { at: 'lock' }

/** A place between a client's request and the projected end where a fault can strike. */
export interface Step<Work extends WorkKind = CommandKind> {
  key: string
  command: Work
  /** What has happened so far, for the report. */
  title: string
  hold: Hold
  /** Of an answer that is two documents. */
  twoDocuments?: true
  /** Why an adapter has no such step, or null. */
  impossible(contest: Contest): string | null
}

const always = () => null
const ONE_CALL = 'this PSP takes the evidence in one call: nothing is staged'
const stagedOnly = (contest: Contest) => (contest !== false && contest.mode === 'staged' ? null : ONE_CALL)
const uploadsOnly = (contest: Contest) =>
  contest !== false && contest.filesApi
    ? null
    : 'this PSP takes the document within another call: there is no upload of its own'

const worker = (point: FaultPoint): Hold => ({ at: 'point', point, by: 'worker' })

function stepsOf(command: CommandKind): Step[] {
  const prefix = command === 'acceptance' ? '' : 'evidence_'
  const name = command === 'acceptance' ? 'accept' : 'submit'
  const step = (key: string, title: string, hold: Hold, impossible: Step['impossible'] = always): Step => ({
    ...{ key: `${prefix}${key}`, command, title, hold, impossible },
  })
  const preparing = [
    step('before_plan', 'the run is started, the PSP was not asked what it takes', worker('submit.before_plan')),
    step('after_plan', 'the plan is stored, nothing is sent', worker('submit.after_plan')),
    step('before_upload', 'an upload is noted, the call is not made', worker('submit.before_upload'), uploadsOnly),
    step('upload_applied', 'the file is at the PSP, the answer is lost', wire('upload', 'applied'), uploadsOnly),
    step('upload_lost', 'the file is lost on its way', wire('upload', 'lost'), uploadsOnly),
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
    step('stage_applied', 'the PSP has staged it, its answer is lost', wire('stage', 'applied'), stagedOnly),
    step('stage_lost', 'the staging is lost on its way', wire('stage', 'lost'), stagedOnly),
    step('after_stage', 'staged and read back, not submitted', worker('submit.after_stage'), stagedOnly),
  ]
  return [
    step('before_commit', 'the API has the request, nothing is committed', { at: 'lock' }),
    step('before_start', 'row and outbox are committed, the API is about to start the run', {
      ...{ at: 'point', point: 'dispatch.before_start', by: 'api' },
    }),
    step('before_relay_start', 'row and outbox are committed, the relay is about to start the run', {
      ...{ at: 'point', point: 'dispatch.before_start', by: 'relay' },
    }),
    step('after_start', 'the run is started, the outbox does not know', {
      ...{ at: 'point', point: 'dispatch.after_start', by: 'api' },
    }),
    ...(command === 'submission' ? preparing : []),
    step('before_probe', 'the attempt has begun, the PSP was not asked', worker(`${name}.before_probe`)),
    step('before_call', 'the PSP says it is open, nothing is noted', worker(`${name}.before_psp`)),
    step('ledger_written', 'the effect is noted as being sent, the call is not made', worker(`${name}.before_call`)),
    step('applied_unanswered', 'the PSP has applied it, its answer is lost', wire(name, 'applied')),
    step('lost_unanswered', 'the request is lost on its way, so is its answer', wire(name, 'lost')),
    step('after_answer', 'the PSP has answered, nothing is noted', worker(`${name}.after_psp`)),
    step('before_confirm', 'the answer is noted, it was not read again', worker(`${name}.before_confirm`)),
    step('before_record', 'confirmed by a re-read, nothing is projected', worker(`${name}.before_record`)),
    step('during_projection', 'in the transaction that projects the end', worker(`${name}.during_record`)),
    step('after_record', 'the row has ended, the run does not know', worker(`${name}.after_record`)),
  ]
}

function wire(request: RequestName, outcome: 'applied' | 'lost'): Hold {
  return { at: 'wire', request, outcome }
}

/** In the order of the work. */
export const STEPS: readonly Step[] = [...stepsOf('acceptance'), ...stepsOf('submission')]
