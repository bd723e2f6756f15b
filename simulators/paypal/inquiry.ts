import type { Json, JsonObject } from '../engine/contract.ts'
import { allowed, fieldsOf, receipt } from './actions.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid } from './errors.ts'
import { resolve, setStatus } from './lifecycle.ts'
import { iso } from './time.ts'

/** Seller actions other than accepting and contesting. The adapter uses none; other clients do. */

const OFFERS = ['REFUND', 'REFUND_WITH_RETURN', 'REFUND_WITH_REPLACEMENT', 'REPLACEMENT_WITHOUT_REFUND']
const ACKNOWLEDGEMENTS = [
  'ITEM_RECEIVED',
  'ITEM_NOT_RECEIVED',
  'DAMAGED',
  'EMPTY_PACKAGE_OR_DIFFERENT',
  'MISSING_ITEMS',
]

/** POST …/escalate: the inquiry becomes a claim, which PayPal reviews. */
export function escalate(request: PayPalRequest): string {
  const { record } = allowed(request, 'escalate')
  textIn(fieldsOf(request.input, ['note', 'buyer_escalation_reason']), 'note')
  request.engine.change(record, (object) => {
    object.dispute_life_cycle_stage = 'CHARGEBACK'
    object.dispute_channel = 'INTERNAL'
    delete object.seller_response_due_date
    setStatus(object, 'UNDER_REVIEW')
  })
  return receipt(record)
}

/** POST …/send-message: the state stays. */
export function sendMessage(request: PayPalRequest): string {
  const { record } = allowed(request, 'send_message')
  const content = textIn(fieldsOf(request.input, ['message']), 'message')
  const { engine } = request
  engine.change(record, (object) => {
    const before = Array.isArray(object.messages) ? object.messages : []
    object.messages = [...before, { posted_by: 'SELLER', time_posted: iso(engine.now()), content }] as Json
  })
  return receipt(record)
}

/** POST …/make-offer: the case then waits for the buyer. */
export function makeOffer(request: PayPalRequest): string {
  const { record } = allowed(request, 'make_offer')
  const known = ['note', 'offer_type', 'offer_amount', 'invoice_id', 'return_shipping_address']
  const fields = fieldsOf(request.input, known)
  textIn(fields, 'note')
  const { offer_type, offer_amount: amount } = fields
  if (!OFFERS.includes(String(offer_type))) throw invalid('INVALID_OFFER_TYPE', '/offer_type')
  request.engine.change(record, (object) => {
    object.offer = { offer_type: offer_type as Json, ...(amount !== undefined && { seller_offered_amount: amount }) }
    delete object.seller_response_due_date
    setStatus(object, 'WAITING_FOR_BUYER_RESPONSE')
  })
  return receipt(record)
}

/** POST …/acknowledge-return-item: goods that came back are refunded, anything else PayPal looks into. */
export function acknowledgeReturn(request: PayPalRequest): string {
  const { record } = allowed(request, 'acknowledge_return_item')
  const { acknowledgement_type: type } = fieldsOf(request.input, ['note', 'acknowledgement_type', 'evidences'])
  if (!ACKNOWLEDGEMENTS.includes(String(type))) throw invalid('INVALID_ACKNOWLEDGEMENT_TYPE', '/acknowledgement_type')
  const { engine } = request
  engine.setPending(record, null)
  engine.change(record, (object) => {
    if (type === 'ITEM_RECEIVED') {
      resolve(object, 'RESOLVED_BUYER_FAVOUR', object.dispute_amount as JsonObject, engine.now())
      return
    }
    delete object.seller_response_due_date
    setStatus(object, 'UNDER_REVIEW')
  })
  return receipt(record)
}

function textIn(fields: JsonObject, name: string): string {
  const text = fields[name]
  if (typeof text === 'string' && text.length >= 1 && text.length <= 2000) return text
  throw invalid(`INVALID_${name.toUpperCase()}`, `/${name}`)
}
