/** Where between a client's request and the projected end a fault can strike, in order. */
export type Hold =
  /** Work waits at a named moment of that process. `aside`: the API waits before its own try, so that the relay starts it. */
  | { at: 'moment'; process: 'api' | 'worker'; moment: string; aside?: string }
  /** The PSP has the request in hand; it applies it or loses it, and its answer never arrives. */
  | { at: 'wire'; outcome: 'applied' | 'lost' }
  /** Another transaction holds the chargeback's row, which the request's own waits for. */
  | { at: 'lock' }

export interface Step {
  key: string
  command: 'acceptance' | 'submission'
  /** What has happened so far, for the report. */
  title: string
  hold: Hold
}

const worker = (moment: string): Hold => ({ at: 'moment', process: 'worker', moment })

export const ACCEPTANCE_STEPS: readonly Step[] = [
  step('before_commit', 'the API has the request, nothing is committed', { at: 'lock' }),
  step('before_start', 'row and outbox are committed, the API is about to start the run', {
    at: 'moment',
    process: 'api',
    moment: 'dispatch.before_start',
  }),
  step('before_relay_start', 'row and outbox are committed, the relay is about to start the run', {
    ...{ at: 'moment', process: 'worker', moment: 'dispatch.before_start', aside: 'dispatch.before_claim' },
  }),
  step('after_start', 'the run is started, the outbox does not know', {
    at: 'moment',
    process: 'api',
    moment: 'dispatch.after_start',
  }),
  step('before_probe', 'the attempt has begun, the PSP was not asked', worker('accept.before_probe')),
  step('before_call', 'the PSP says it is open, nothing is noted', worker('accept.before_psp')),
  step('ledger_written', 'the effect is noted as being sent, the call is not made', worker('accept.before_call')),
  step('applied_unanswered', 'the PSP has applied it, its answer is lost', { at: 'wire', outcome: 'applied' }),
  step('lost_unanswered', 'the request is lost on its way, so is its answer', { at: 'wire', outcome: 'lost' }),
  step('before_confirm', 'the PSP has answered, it was not read again', worker('accept.before_confirm')),
  step('before_record', 'confirmed by a re-read, nothing is projected', worker('accept.before_record')),
  step('during_projection', 'in the transaction that projects the end', worker('accept.during_record')),
  step('after_record', 'the row has ended, the run does not know', worker('accept.after_record')),
]

function step(key: string, title: string, hold: Hold): Step {
  return { key, command: 'acceptance', title, hold }
}
