import type { HistoryRequest, HistoryResponse } from '../history.ts'

/**
 * Sequential model of acceptance and submission for one chargeback: the possible responses, and the state after each.
 * Pure, and without the product's code, so that it can't share the product's bugs.
 */

type CommandState = 'created' | 'inProgress' | 'succeeded' | 'failed'

interface Command {
  /** Submissions only; null until a response has shown it. */
  id: string | null
  fileId: string | null
  state: CommandState
  /** Times of the request and of the end; null until a response has shown them. */
  requested: string | null
  completed: string | null
}

export interface State {
  /** Oldest first; all but the last have failed. */
  acceptances: readonly Command[]
  submissions: readonly Command[]
  /** Last values that a response has shown. */
  status: string | null
  pspStatus: string | null
}

export interface Rules {
  chargebackId: string
  /** Others change the chargeback, too: a human at the PSP's dashboard, or a test that moves times of requests. */
  others: boolean
}

export const AT_FIRST: State = { acceptances: [], submissions: [], status: null, pspStatus: null }

const NEXT: Record<CommandState, readonly CommandState[]> = {
  created: ['created', 'inProgress', 'succeeded', 'failed'],
  inProgress: ['inProgress', 'succeeded', 'failed'],
  succeeded: ['succeeded'],
  failed: ['failed'],
}
/** Statuses of a chargeback in order: it never returns to an earlier one. */
const STATUS_ORDER = ['waiting_for_data', 'building_evidence', 'not_represented', 'pending_psp_results']
const CLOSED = STATUS_ORDER.slice(2)
/** Refusals that need no command of ours: because of the PSP, the clock or the integration. */
const CLOSED_CODES = ['not_open', 'overdue', 'integration_not_usable']

const lives = (command: Command | undefined) => command !== undefined && command.state !== 'failed'
const liveAcceptance = ({ acceptances }: State) => (lives(acceptances.at(-1)) ? acceptances.at(-1) : undefined)
const liveSubmission = ({ submissions }: State) => (lives(submissions.at(-1)) ? submissions.at(-1) : undefined)
const replaced = (commands: readonly Command[], old: Command, by: Command) =>
  commands.map((one) => (one === old ? by : one))
/** Failed attempts that a response has shown. */
const known = (commands: readonly Command[]) => commands.filter((one) => one.id !== null || one.requested !== null)
const begun = (fileId: string | null, id: string | null): Command => ({
  ...{ id, fileId, state: 'created', requested: null, completed: null },
})

/**
 * The possible states after this response; none if no rule allows the response. `response` null: the request took effect,
 * and its response is unknown.
 */
export function after(state: State, request: HistoryRequest, response: HistoryResponse | null, rules: Rules): State[] {
  return [state, ...unseenFailure(state)].flatMap((before) => {
    const next = applied(before, request, response, rules)
    return next ? [next] : []
  })
}

/** A running command may fail before a response shows it. */
function unseenFailure(state: State): State[] {
  const fail = (commands: readonly Command[], live: Command | undefined) =>
    live && live.state !== 'succeeded' ? replaced(commands, live, { ...live, state: 'failed' }) : null
  const acceptances = fail(state.acceptances, liveAcceptance(state))
  const submissions = fail(state.submissions, liveSubmission(state))
  return [...(acceptances ? [{ ...state, acceptances }] : []), ...(submissions ? [{ ...state, submissions }] : [])]
}

function applied(state: State, request: HistoryRequest, response: HistoryResponse | null, rules: Rules): State | null {
  switch (request.kind) {
    case 'accept':
      return accepted(state, response, rules)
    case 'submit':
      return submitted(state, request.fileId, response)
    case 'read_acceptance':
      return acceptanceRead(state, response, rules)
    case 'read_submission':
      return submissionRead(state, request.id, response, rules)
    case 'read_chargeback':
      return chargebackRead(state, response, rules)
  }
}

function accepted(state: State, response: HistoryResponse | null, { chargebackId }: Rules): State | null {
  const live = liveAcceptance(state)
  if (response === null || response.status === 200) {
    if (response && response.id !== chargebackId) return null
    if (liveSubmission(state)) return null
    return live ? state : { ...state, acceptances: [...known(state.acceptances), begun(null, null)] }
  }
  if (response.status !== 400) return null
  if (response.code === 'evidence_submission_exists') return liveSubmission(state) ? state : null
  return refusedFromOutside(state, response)
}

function submitted(state: State, fileId: string, response: HistoryResponse | null): State | null {
  const live = liveSubmission(state)
  if (response === null || response.status === 201) {
    const id = response?.id ?? null
    if (liveAcceptance(state)) return null
    if (!live) {
      const old = known(state.submissions)
      const idIsUsed = old.some((one) => one.id !== null && one.id === id)
      return idIsUsed ? null : { ...state, submissions: [...old, begun(fileId, id)] }
    }
    if (live.fileId !== fileId) return null
    if (id === null || live.id === id) return state
    return live.id === null ? { ...state, submissions: replaced(state.submissions, live, { ...live, id }) } : null
  }
  if (response.status !== 400) return null
  if (response.code === 'acceptance_exists') return liveAcceptance(state) ? state : null
  if (response.code === 'other_file_submitted') return live && live.fileId !== fileId ? state : null
  return refusedFromOutside(state, response)
}

const refusedFromOutside = (state: State, { code = '' }: HistoryResponse) =>
  CLOSED_CODES.includes(code) && !liveAcceptance(state) && !liveSubmission(state) ? state : null

function acceptanceRead(state: State, response: HistoryResponse | null, rules: Rules): State | null {
  const last = state.acceptances.at(-1)
  if (response?.code === 'acceptance_not_found') return last ? null : state
  if (response?.status !== 200 || !last) return null
  const read = progressed(last, response, rules)
  const earlier = state.acceptances.at(-2)?.requested
  if (!read || (earlier && read.requested !== null && read.requested <= earlier)) return null
  return { ...state, acceptances: replaced(state.acceptances, last, read) }
}

function submissionRead(state: State, id: string, response: HistoryResponse | null, rules: Rules): State | null {
  const one = state.submissions.find((submission) => submission.id === id)
  const read = response?.status === 200 && one ? progressed(one, response, rules) : null
  return one && read ? { ...state, submissions: replaced(state.submissions, one, read) } : null
}

/** The command after this read, or null if the read is impossible. */
function progressed(command: Command, { state = '', at = '' }: HistoryResponse, { others }: Rules): Command | null {
  if (!NEXT[command.state].includes(state as CommandState)) return null
  const time = state === 'succeeded' ? 'completed' : 'requested'
  if (!others && command[time] !== null && command[time] !== at) return null
  return { ...command, state: state as CommandState, [time]: at }
}

function chargebackRead(state: State, response: HistoryResponse | null, { others }: Rules): State | null {
  if (response?.status !== 200) return null
  const { state: status = '', pspStatus = '' } = response
  const ended = (command: Command | undefined, end: string) => command?.state !== 'succeeded' || status === end
  const rank = (word: string) => Math.min(STATUS_ORDER.indexOf(word), 2)
  if (rank(status) < (state.status === null ? 0 : rank(state.status))) return null
  if (pspStatus === 'needs_response' && state.pspStatus !== null && state.pspStatus !== pspStatus) return null
  if (!others) {
    if (!ended(state.acceptances.at(-1), 'not_represented')) return null
    if (!ended(state.submissions.at(-1), 'pending_psp_results')) return null
    const request = state.acceptances.length + state.submissions.length > 0
    if (CLOSED.includes(status) && !request) return null
  }
  return { ...state, status, pspStatus }
}

/** Number of each effect in the PSP's own ledger. */
export interface Effects {
  acceptance: number
  submission: number
}

/** Whether this final state matches the PSP's ledger of effects. */
export function endsWith(state: State, effects: Effects, { others }: Rules): boolean {
  const matches = (commands: readonly Command[], count: number) => {
    const alive = lives(commands.at(-1))
    if (count > (alive ? 1 : 0)) return false
    // A person may have done what we were asked to do.
    return others || count === 1 || commands.at(-1)?.state !== 'succeeded'
  }
  return matches(state.acceptances, effects.acceptance) && matches(state.submissions, effects.submission)
}
