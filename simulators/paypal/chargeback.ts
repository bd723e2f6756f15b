import type { DisputeRecord, Json, JsonObject } from '../engine/contract.ts'
import { plantDispute } from '../engine/create.ts'
import { tokenOf } from '../engine/draw.ts'
import { request as requested } from './dispute.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid, PayPalRefusal } from './errors.ts'
import { decideDispute } from './lifecycle.ts'
import { relink } from './links.ts'
import { REASONS } from './situations.ts'
import { iso, secondsOf } from './time.ts'

const DUE_AFTER = 10 * 86_400

/**
 * POST /v2/customer-support/process-chargeback, in PayPal's sandbox only: the card network brings a case (PayPal docs,
 * Disputes, Test and go live). A transaction has one dispute for life: one that was resolved inside PayPal comes back
 * under its id, any other transaction gets one.
 */
export function processChargeback(request: PayPalRequest): string {
  const { transaction, dispute, id } = read(request)
  const [known] = request.account.byLink.get(id) ?? []
  if (known) return answer(reopened(request, known))
  return answer(brought(request, id, transaction, dispute))
}

function read({ input }: PayPalRequest): { transaction: JsonObject; dispute: JsonObject; id: string } {
  const root = objectIn({ body: input as Json }, 'body')
  for (const [name, value] of [
    ['adjacency', 'PAYPAL'],
    ['file_layout', 'ATCK_CB'],
  ] as const) {
    if (root[name] !== value) throw invalid('INVALID_PARAMETER_VALUE', `/${name}`)
  }
  if (objectIn(root, 'financial_institution').processor !== 'FDMS') throw invalid('INVALID_PARAMETER_VALUE')
  if (objectIn(root, 'instrument').instrument_type !== 'CARD') throw invalid('INVALID_PARAMETER_VALUE', '/instrument')
  const transaction = objectIn(root, 'transaction')
  const { id_enc: id } = transaction
  if (typeof id !== 'string' || !/^[0-9A-Z]{17}$/.test(id)) throw invalid('INVALID_PARAMETER_VALUE', '/transaction')
  return { transaction, dispute: objectIn(root, 'dispute'), id }
}

function objectIn(parent: JsonObject, name: string): JsonObject {
  const value = parent[name]
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid('MISSING_REQUIRED_PARAMETER', `/${name}`)
}

function reopened({ engine }: PayPalRequest, record: DisputeRecord): DisputeRecord {
  const { status, dispute_channel: channel } = engine.read(record)
  if (status !== 'RESOLVED' || channel !== 'INTERNAL') throw new PayPalRefusal(422, 'UNPROCESSABLE_ENTITY')
  record.round += 1
  engine.change(record, (object) => void decideDispute(object, 'reopened', engine.now()))
  return record
}

function brought(
  { engine, account }: PayPalRequest,
  id: string,
  transaction: JsonObject,
  { amount = transaction.amount, response_date: due, processor_info: info }: JsonObject,
): DisputeRecord {
  if (objectIn({ amount: amount ?? null }, 'amount').currency_code === undefined) throw invalid('INVALID_AMOUNT')
  const reference = engine.profile.referenceOf(tokenOf(22, engine.seed, 'chargeback', account.id, id))
  const code = String((info as JsonObject | undefined)?.reason_code ?? '')
  // Codes come with and without their dot.
  const reason = REASONS.find((known) => known.code?.replace('.', '') === code.replace('.', '').replace(/0$/, ''))
  const word = reason?.word ?? 'OTHER'
  const now = iso(engine.now())
  const object: JsonObject = {
    dispute_id: reference,
    create_time: now,
    update_time: now,
    disputed_transactions: [
      {
        seller_transaction_id: id,
        create_time: now,
        transaction_status: 'COMPLETED',
        gross_amount: (transaction.amount ?? amount) as Json,
        seller: { merchant_id: account.id, name: 'Demo Shop' },
      },
    ],
    reason: word,
    status: 'WAITING_FOR_SELLER_RESPONSE',
    dispute_state: 'REQUIRED_ACTION',
    dispute_amount: amount as Json,
    dispute_life_cycle_stage: 'CHARGEBACK',
    dispute_channel: 'EXTERNAL',
    ...(code !== '' && { external_reason_code: reason?.code ?? code }),
    seller_response_due_date: iso(secondsOf(due) ?? engine.now() + DUE_AFTER),
    evidences: [requested(word, now)],
  }
  relink(object)
  return plantDispute(engine, account.id, reference, JSON.stringify(object))
}

function answer(record: DisputeRecord): string {
  return JSON.stringify({ dispute_id: record.reference })
}
