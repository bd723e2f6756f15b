import type { Json, JsonObject } from '../engine/contract.ts'
import { millisecondsOf } from './time.ts'

/** Links come with different hosts of PayPal's, and the relation in two spellings. */
const HOSTS = ['https://api.paypal.com', 'https://api-m.sandbox.paypal.com', 'https://api.sandbox.paypal.com']

export function disputeHref(reference: string, action = '', turn = 0): string {
  const host = HOSTS[(millisecondsOf(reference) + turn) % HOSTS.length]
  return `${host}/v1/customer/disputes/${reference}${action === '' ? '' : `/${action}`}`
}

/** Rels that the dispute carries now, with underscores. */
export function relsOf(dispute: JsonObject): string[] {
  const links = Array.isArray(dispute.links) ? dispute.links : []
  return links.map((link) => String((link as JsonObject | null)?.rel ?? '').replaceAll('-', '_'))
}

/** Sets links and allowed options by the state. `extra` keeps those that the state alone doesn't give. */
export function relink(dispute: JsonObject, extra: readonly string[] = []): void {
  const reference = String(dispute.dispute_id)
  const actions = [...actionsFor(dispute), ...extra]
  const hyphens = millisecondsOf(reference) % 3 === 0
  dispute.links = [
    { href: disputeHref(reference), rel: 'self', method: 'GET' },
    ...actions.map((action, index) => ({
      href: disputeHref(reference, action, index + 1),
      rel: hyphens ? action : action.replaceAll('-', '_'),
      method: 'POST',
    })),
  ] as Json
  if (actions.includes('accept-claim')) {
    const types = ['REFUND', 'REFUND_WITH_RETURN', 'PARTIAL_REFUND']
    dispute.allowed_response_options = { accept_claim: { accept_claim_types: types } }
  } else delete dispute.allowed_response_options
}

/** What the seller may do (PayPal docs, Merchant actions): nothing where PayPal waits for nobody. */
function actionsFor(dispute: JsonObject): string[] {
  if (dispute.seller_response_due_date === undefined) return []
  if (dispute.status === 'WAITING_FOR_SELLER_RESPONSE')
    return ['accept-claim', 'provide-evidence', 'acknowledge-return-item']
  if (dispute.status === 'OPEN') return ['accept-claim', 'send-message', 'make-offer', 'escalate']
  return []
}
