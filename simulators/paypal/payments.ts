import type { DisputePlan, JsonObject } from '../engine/contract.ts'
import { drawFrom } from '../engine/draw.ts'
import { paymentIds } from './dispute.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid, PayPalRefusal } from './errors.ts'
import { money } from './money.ts'
import { personOf } from './people.ts'
import { reasonOf } from './situations.ts'
import { iso, secondsOf } from './time.ts'

export const SEARCH_PARAMETERS = ['transaction_id', 'start_date', 'end_date', 'fields', 'page_size', 'page'] as const

/** GET /v2/payments/captures/{id}. Some payments were made by an older API, which this one doesn't know. */
export function retrieveCapture(request: PayPalRequest): string {
  const plan = planOf(request, request.id)
  if (isLegacy(plan)) throw new PayPalRefusal(404, 'RESOURCE_NOT_FOUND')
  const { order } = paymentIds(plan.token)
  const related = { supplementary_data: { related_ids: { order_id: order } } }
  return JSON.stringify({ ...captureOf(plan), ...related, payee: { merchant_id: request.account.id } })
}

/** As its order shows it, and as it is shown by itself. */
function captureOf(plan: DisputePlan): JsonObject {
  const { capture, order } = paymentIds(plan.token)
  const draw = drawFrom(`${plan.token} capture`)
  const card = reasonOf(plan).kind === 'card'
  const amount = money(plan.chargeAmount, plan.currency)
  const link = (path: string, rel: string) => ({ href: `https://api.sandbox.paypal.com${path}`, rel, method: 'GET' })
  return {
    id: capture,
    status: 'COMPLETED',
    amount,
    final_capture: true,
    disbursement_mode: 'INSTANT',
    seller_protection: { status: 'NOT_ELIGIBLE' },
    seller_receivable_breakdown: { gross_amount: amount, net_amount: amount },
    ...(card && {
      processor_response: { avs_code: 'Y', cvv_code: 'M', response_code: '0000' },
      network_transaction_reference: {
        id: draw.digits(15),
        network: brandOf(plan),
        acquirer_reference_number: `7${draw.digits(22)}`,
      },
    }),
    links: [link(`/v2/payments/captures/${capture}`, 'self'), link(`/v2/checkout/orders/${order}`, 'up')],
    create_time: iso(plan.chargedAt),
    update_time: iso(plan.chargedAt),
  }
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
        items: [
          {
            name: 'Lamp',
            description: 'A brass desk lamp',
            quantity: '1',
            unit_amount: money(plan.chargeAmount, plan.currency),
          },
        ],
        payee: { merchant_id: request.account.id },
        shipping: { name: { full_name: person.name }, address: person.address },
        payments: { captures: [captureOf(plan)] },
      },
    ],
    payer: {
      name,
      email_address: person.email,
      payer_id: person.payerId,
      address: { country_code: person.address.country_code },
    },
    create_time: iso(plan.chargedAt),
    update_time: iso(plan.chargedAt),
    links: [{ href: `https://api.sandbox.paypal.com/v2/checkout/orders/${request.id}`, rel: 'self', method: 'GET' }],
  })
}

/** GET /v1/reporting/transactions: all kinds of payments, at most 31 days, at least three hours late. */
export function searchTransactions(request: PayPalRequest): string {
  const { query, engine, account } = request
  const [from, until] = [secondsOf(query.get('start_date')), secondsOf(query.get('end_date'))]
  if (from === null || until === null || until < from) throw invalid('INVALID_DATE', '/start_date')
  if (until - from > 31 * 86_400) throw invalid('INVALID_DATE_RANGE', '/end_date')
  const [size, page] = [whole(query, 'page_size', 100, 500), whole(query, 'page', 1, 2_147_483_647)]
  const refreshed = engine.now() - 3 * 3600
  const id = query.get('transaction_id')
  const records = id === null ? [...account.disputes.all()] : (account.byLink.get(id) ?? []).slice(0, 1)
  const found = records
    .flatMap(({ plan }) => (plan ? [plan] : []))
    .filter(({ chargedAt }) => chargedAt >= from && chargedAt <= until && chargedAt < refreshed)
  const fields = query.get('fields')?.split(',') ?? ['transaction_info']
  return JSON.stringify({
    transaction_details: found.slice((page - 1) * size, page * size).map((plan) => searchResult(plan, fields)),
    account_number: account.id,
    start_date: offsetTime(from),
    end_date: offsetTime(until),
    last_refreshed_datetime: offsetTime(refreshed),
    page,
    total_items: found.length,
    total_pages: Math.ceil(found.length / size),
    links: [{ href: `https://api.sandbox.paypal.com/v1/reporting/transactions?${query}`, rel: 'self', method: 'GET' }],
  })
}

/** Transaction Search writes its zone as +0000. */
function offsetTime(seconds: number): string {
  return iso(seconds).replace(/\.\d+Z$|Z$/, '+0000')
}

function whole(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const value = Number(query.get(name) ?? otherwise)
  if (!Number.isInteger(value) || value < 1 || value > most) throw invalid('INVALID_PARAMETER_VALUE', `/${name}`)
  return value
}

function searchResult(plan: DisputePlan, fields: readonly string[]): JsonObject {
  const person = personOf(plan.token)
  const { admin_area_1: state = '', admin_area_2: city = '', address_line_1: line1 = '' } = person.address
  const { postal_code = '', country_code = '' } = person.address
  const all: JsonObject = {
    transaction_info: {
      paypal_account_id: person.payerId,
      transaction_id: paymentIds(plan.token).capture,
      transaction_event_code: 'T0006',
      transaction_initiation_date: offsetTime(plan.chargedAt),
      transaction_updated_date: offsetTime(plan.chargedAt),
      transaction_amount: money(plan.chargeAmount, plan.currency),
      transaction_status: 'S',
      protection_eligibility: '02',
    },
    payer_info: {
      account_id: person.payerId,
      email_address: person.email,
      address_status: 'N',
      payer_status: 'Y',
      payer_name: { given_name: person.given, surname: person.surname, alternate_full_name: person.name },
      country_code,
    },
    shipping_info: { name: person.name, address: { line1, city, state, postal_code, country_code } },
    cart_info: {
      item_details: [{ item_name: 'Lamp', item_description: 'A brass desk lamp', item_quantity: '1' }],
    },
    store_info: {},
    auction_info: {},
    incentive_info: {},
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes('all') || fields.includes(name)))
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
