import type { DisputeRecord, Json, JsonObject } from '../engine/contract.ts'
import { recordOf } from './disputes.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid, PayPalRefusal } from './errors.ts'
import { readEvidences, readNotes } from './evidence.ts'
import { concede, decideDispute, setStatus } from './lifecycle.ts'
import { disputeHref, relsOf } from './links.ts'
import { iso } from './time.ts'

const DONE = 'UNDER_REVIEW'

/** POST …/accept-claim: the acceptance. A full refund closes the dispute, a lower amount waits for the buyer. */
export function acceptClaim(request: PayPalRequest): string {
  const { record, dispute } = allowed(request, 'accept_claim')
  const known = ['note', 'accept_claim_type', 'accept_claim_reason', 'invoice_id', 'refund_amount']
  const { note, accept_claim_type: type = 'REFUND', refund_amount: amount } = fieldsOf(request.input, known)
  if (typeof note !== 'string' || note.length < 1 || note.length > 2000) throw invalid('INVALID_NOTE', '/note')
  const options = (dispute.allowed_response_options as JsonObject | undefined)?.accept_claim as JsonObject | undefined
  if (!(options?.accept_claim_types as Json[] | undefined)?.includes(type)) {
    throw invalid('INVALID_ACCEPT_CLAIM_TYPE', '/accept_claim_type')
  }
  if (type === 'REFUND' && amount !== undefined) throw invalid('AMOUNT_SHOULD_NOT_BE_PASSED', '/refund_amount')
  const { engine } = request
  engine.setPending(record, null)
  engine.change(record, (object) => {
    if (type === 'REFUND') concede(object, engine.now())
    else setStatus(object, 'WAITING_FOR_BUYER_RESPONSE')
  })
  recordEffect(request, record, 'acceptance', { type })
  return receipt(record)
}

/** POST …/provide-evidence */
export function provideEvidence(request: PayPalRequest): string {
  return takeEvidence(request, 'provide_evidence')
}

/** POST …/appeal */
export function appeal(request: PayPalRequest): string {
  return takeEvidence(request, 'appeal')
}

function takeEvidence(request: PayPalRequest, action: string): string {
  const { record, dispute } = allowed(request, action)
  const evidences = readEvidences(request, dispute)
  const { engine } = request
  engine.change(record, (object) => {
    const before = Array.isArray(object.evidences) ? object.evidences : []
    const sent = evidences.map((evidence) => ({ ...evidence, source: 'SUBMITTED_BY_SELLER', date: iso(engine.now()) }))
    object.evidences = [...before, ...sent] as Json
    delete object.seller_response_due_date
    setStatus(object, DONE)
  })
  recordSubmission(request, record, action, evidences as Json)
  return receipt(record)
}

/** POST …/provide-supporting-info: allowed during PayPal's review, any number of times. */
export function provideSupportingInfo(request: PayPalRequest): string {
  const { record } = allowed(request, 'provide_supporting_info')
  const notes = readNotes(fieldsOf(request.input, ['notes']).notes)
  const documents = (request.form?.files ?? []).map(({ name }) => ({ name }))
  const { engine } = request
  engine.change(record, (object) => {
    const before = Array.isArray(object.supporting_info) ? object.supporting_info : []
    const info = { notes, source: 'SUBMITTED_BY_SELLER', provided_time: iso(engine.now()) }
    object.supporting_info = [...before, { ...info, ...(documents.length > 0 && { documents }) }] as Json
  })
  recordSubmission(request, record, 'provide_supporting_info', [{ notes }])
  return receipt(record)
}

/** POST …/require-evidence, in PayPal's sandbox only: requests evidence from one side again. */
export function requireEvidence(request: PayPalRequest): string {
  const { action } = fieldsOf(request.input, ['action'])
  if (action !== 'SELLER_EVIDENCE' && action !== 'BUYER_EVIDENCE') throw invalid('INVALID_ACTION', '/action')
  const record = underReview(request)
  request.engine.change(record, (object) => {
    if (action === 'SELLER_EVIDENCE') decideDispute(object, 'reopened', request.engine.now())
    else setStatus(object, 'WAITING_FOR_BUYER_RESPONSE')
  })
  return receipt(record)
}

/** POST …/adjudicate, in PayPal's sandbox only. Spelled without the U. */
export function adjudicate(request: PayPalRequest): string {
  const { adjudication_outcome: outcome } = fieldsOf(request.input, ['adjudication_outcome'])
  if (outcome !== 'SELLER_FAVOR' && outcome !== 'BUYER_FAVOR') throw invalid('INVALID_OUTCOME', '/adjudication_outcome')
  const record = underReview(request)
  request.engine.setPending(record, null)
  request.engine.change(
    record,
    (object) => void decideDispute(object, outcome === 'SELLER_FAVOR' ? 'won' : 'lost', request.engine.now()),
  )
  return receipt(record)
}

function underReview(request: PayPalRequest): DisputeRecord {
  const record = recordOf(request)
  if (record.word !== 'UNDER_REVIEW') throw new PayPalRefusal(422, 'UNPROCESSABLE_ENTITY')
  return record
}

/** An action without its link is refused, whatever its body. */
export function allowed(request: PayPalRequest, rel: string): { record: DisputeRecord; dispute: JsonObject } {
  const record = recordOf(request)
  const dispute = request.engine.read(record)
  if (!relsOf(dispute).includes(rel)) throw new PayPalRefusal(422, 'UNPROCESSABLE_ENTITY')
  return { record, dispute }
}

export function fieldsOf(input: unknown, known: readonly string[]): JsonObject {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw invalid('INVALID_BODY', '/')
  for (const name of Object.keys(input)) {
    if (!known.includes(name)) throw invalid('UNKNOWN_FIELD', `/${name}`)
  }
  return input as JsonObject
}

export function receipt(record: DisputeRecord): string {
  return JSON.stringify({ links: [{ rel: 'self', method: 'GET', href: disputeHref(record.reference) }] })
}

function recordSubmission(request: PayPalRequest, record: DisputeRecord, action: string, sent: Json): void {
  const { engine, account } = request
  const files: JsonObject[] = []
  for (const { name, type, bytes, sha256 } of request.form?.files ?? []) {
    const sequence = engine.nextNumber(account)
    const id = `file_${sequence}`
    const facts = { id, name, type, bytes: bytes.length, sha256 }
    const purpose = 'dispute_evidence'
    engine.insertFile({ ...facts, account: account.id, purpose, content: bytes, at: engine.now(), sequence })
    files.push(facts)
    recordEffect(request, record, 'upload', facts)
  }
  recordEffect(request, record, 'submission', { action, sent, files })
}

function recordEffect(
  { engine, account, requestKey, requestId }: PayPalRequest,
  record: DisputeRecord,
  kind: 'acceptance' | 'submission' | 'upload',
  details: JsonObject,
): void {
  const { reference: ref, round } = record
  engine.ledger.effect({ kind, account: account.id, ref, round, idempotencyKey: requestKey, requestId, details })
}
