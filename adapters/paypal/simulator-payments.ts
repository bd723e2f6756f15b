import type { DisputePlan, JsonObject } from '../simulator/contract.ts'
import { drawFrom } from '../simulator/draw.ts'
import { paymentIds } from './simulator-dispute.ts'
import type { PayPalRequest } from './simulator-endpoint.ts'
import { invalid, PayPalRefusal } from './simulator-errors.ts'
import { money } from './simulator-money.ts'
import { personOf } from './simulator-people.ts'
import { reasonOf } from './simulator-situations.ts'
import { iso, secondsOf } from './simulator-time.ts'

export const SEARCH_PARAMETERS = ['transaction_id', 'start_date', 'end_date', 'fields', 'page_size', 'page'] as const

/** GET /v2/payments/captures/{id}. Some payments were made by an older API, which this one doesn't know. */
export function retrieveCapture(request: PayPalRequest): string {
  const plan = planOf(request, request.id)
  if (isLegacy(plan)) throw new PayPalRefusal(404, 'RESOURCE_NOT_FOUND')
  const { capture, order } = paymentIds(plan.token)
  const draw = drawFrom(`${plan.token} capture`)
  const card = reasonOf(plan).kind === 'card'
  return JSON.stringify({
    id: capture,
    status: 'COMPLETED',
    amount: money(plan.chargeAmount, plan.currency),
    final_capture: true,
    seller_protection: { status: 'NOT_ELIGIBLE' },
    ...(card && {
      processor_response: { avs_code: 'Y', cvv_code: 'M', response_code: '0000' },
      network_transaction_reference: {
        id: draw.digits(15),
        network: brandOf(plan),
        acquirer_reference_number: `7${draw.digits(22)}`,
      },
    }),
    supplementary_data: { related_ids: { order_id: order } },
    create_time: iso(plan.chargedAt),
    update_time: iso(plan.chargedAt),
  })
}

/** GET /v2/checkout/orders/{id} */
export function retrieveOrder(request: PayPalRequest): string {
  const records = request.account.disputes.all()
  const plan = records.find((record) => record.plan && paymentIds(record.plan.token).order === request.id)?.plan
  if (!plan || isLegacy(plan)) throw new PayPalRefusal(404, 'RESOURCE_NOT_FOUND')
  const person = personOf(plan.token)
  const name = { given_name: person.given, surname: person.surname }
  return JSON.stringify({
    id: request.id,
    status: 'COMPLETED',
    intent: 'CAPTURE',
    payment_source: paymentSource(plan),
    purchase_units: [
      {
        reference_id: 'default',
        amount: money(plan.chargeAmount, plan.currency),
        description: 'Order at Demo Shop',
        soft_descriptor: 'PAYPAL *DEMOSHOP',
        items: [{ name: 'Lamp', description: 'A brass desk lamp', quantity: '1' }],
        shipping: { name: { full_name: person.name }, address: person.address },
      },
    ],
    payer: {
      name,
      email_address: person.email,
      payer_id: person.payerId,
      address: { country_code: person.address.country_code },
    },
    create_time: iso(plan.chargedAt),
  })
}

/** GET /v1/reporting/transactions: all kinds of payments, at most 31 days, at least three hours late. */
export function searchTransactions(request: PayPalRequest): string {
  const { query, engine } = request
  const [from, until] = [secondsOf(query.get('start_date')), secondsOf(query.get('end_date'))]
  if (from === null || until === null || until < from) throw invalid('INVALID_DATE', '/start_date')
  if (until - from > 31 * 86_400) throw invalid('INVALID_DATE_RANGE', '/end_date')
  const plan = request.account.byLink.get(query.get('transaction_id') ?? '')?.[0]?.plan
  const shown = plan && plan.chargedAt >= from && plan.chargedAt <= until && plan.chargedAt < engine.now() - 3 * 3600
  return JSON.stringify({ transaction_details: shown ? [searchResult(plan)] : [], total_items: shown ? 1 : 0, page: 1 })
}

function searchResult(plan: DisputePlan): JsonObject {
  const person = personOf(plan.token)
  const { admin_area_1: state = '', admin_area_2: city = '', address_line_1: line1 = '' } = person.address
  const { postal_code = '', country_code = '' } = person.address
  return {
    transaction_info: {
      transaction_id: paymentIds(plan.token).capture,
      transaction_status: 'S',
      transaction_initiation_date: iso(plan.chargedAt),
      transaction_amount: money(plan.chargeAmount, plan.currency),
    },
    payer_info: { email_address: person.email, country_code, payer_name: { alternate_full_name: person.name } },
    shipping_info: { name: person.name, address: { line1, city, state, postal_code, country_code } },
    cart_info: { item_details: [{ item_name: 'Lamp', item_description: 'A brass desk lamp' }] },
  }
}

function planOf({ account }: PayPalRequest, id: string): DisputePlan {
  const plan = account.byLink.get(id)?.find((record) => record.plan !== null)?.plan
  if (!plan || paymentIds(plan.token).capture !== id) throw new PayPalRefusal(404, 'RESOURCE_NOT_FOUND')
  return plan
}

/** One in five payments from a PayPal account. */
function isLegacy(plan: DisputePlan): boolean {
  return reasonOf(plan).kind !== 'card' && drawFrom(`${plan.token} legacy`).chance(20)
}

function brandOf(plan: DisputePlan): string {
  const code = reasonOf(plan).code ?? ''
  if (/^4\d{3}$/.test(code)) return 'MASTERCARD'
  return /^\d/.test(code) ? 'VISA' : 'AMEX'
}

function paymentSource(plan: DisputePlan): JsonObject {
  const draw = drawFrom(`${plan.token} source`)
  const person = personOf(plan.token)
  if (reasonOf(plan).kind !== 'card') {
    return { paypal: { email_address: person.email, account_id: person.payerId, account_status: 'VERIFIED' } }
  }
  const bins: Readonly<Record<string, string>> = { VISA: '411111', MASTERCARD: '545454', AMEX: '371449' }
  const brand = brandOf(plan)
  const bin_details = { bin: bins[brand] ?? '411111', bin_country_code: person.address.country_code ?? 'US' }
  return {
    card: { last_digits: draw.digits(4), brand, type: draw.one(['CREDIT', 'DEBIT']), expiry: '2029-04', bin_details },
  }
}
