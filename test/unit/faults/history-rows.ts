import type { Answer, Asked, Operation } from '../../faults/history.ts'
import { explained } from '../../faults/invariants/linearizable.ts'
import type { Effects } from '../../faults/invariants/one-chargeback.ts'

const ID = 'chargeback'
const FILE = 'file'
export const ACCEPT: Asked = { kind: 'accept' }
export const SUBMIT: Asked = { kind: 'submit', fileId: FILE }
export const ACCEPTANCE: Asked = { kind: 'read_acceptance' }
export const SUBMISSION: Asked = { kind: 'read_submission', id: 's1' }
export const CHARGEBACK: Asked = { kind: 'read_chargeback' }

export const ok: Answer = { status: 200, id: ID }
export const createdAs = (id: string): Answer => ({ status: 201, id })
export const refused = (code: string): Answer => ({ status: 400, code })
export const shows = (state: string, at = state === 'succeeded' ? 'end' : 'start'): Answer => ({
  status: 200,
  state,
  at,
})
export const showsChargeback = (state: string, pspStatus = 'needs_response'): Answer => ({
  status: 200,
  state,
  pspStatus,
})
export const missing: Answer = { status: 404, code: 'acceptance_not_found' }

/** from, to (null = unknown), request, response */
export type Row = [number, number | null, Asked, Answer | null]
const NONE: Effects = { acceptance: 0, submission: 0 }
export const violation = (rows: Row[], effects: Partial<Effects> = {}, others = false) =>
  explained(
    rows.map(([from, to, asked, answer], at): Operation => ({ client: `c${at}`, from, to, asked, answer })),
    { chargebackId: ID, others },
    { ...NONE, ...effects },
  )
