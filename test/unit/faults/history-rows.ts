import type { HistoryRequest, HistoryResponse, Operation } from '../../faults/history.ts'
import { explained } from '../../faults/invariants/linearizable.ts'
import type { Effects } from '../../faults/invariants/one-chargeback.ts'

const ID = 'chargeback'
const FILE = 'file'
export const ACCEPT: HistoryRequest = { kind: 'accept' }
export const SUBMIT: HistoryRequest = { kind: 'submit', fileId: FILE }
export const ACCEPTANCE: HistoryRequest = { kind: 'read_acceptance' }
export const SUBMISSION: HistoryRequest = { kind: 'read_submission', id: 's1' }
export const CHARGEBACK: HistoryRequest = { kind: 'read_chargeback' }

export const ok: HistoryResponse = { status: 200, id: ID }
export const createdAs = (id: string): HistoryResponse => ({ status: 201, id })
export const refused = (code: string): HistoryResponse => ({ status: 400, code })
export const shows = (state: string, at = state === 'succeeded' ? 'end' : 'start'): HistoryResponse => ({
  status: 200,
  state,
  at,
})
export const showsChargeback = (state: string, pspStatus = 'needs_response'): HistoryResponse => ({
  status: 200,
  state,
  pspStatus,
})
export const missing: HistoryResponse = { status: 404, code: 'acceptance_not_found' }

/** from, to (null = unknown), request, response */
export type Row = [number, number | null, HistoryRequest, HistoryResponse | null]
const NONE: Effects = { acceptance: 0, submission: 0 }
export const violation = (rows: Row[], effects: Partial<Effects> = {}, others = false) =>
  explained(
    rows.map(([from, to, request, response], at): Operation => ({ client: `c${at}`, from, to, request, response })),
    { chargebackId: ID, others },
    { ...NONE, ...effects },
  )
