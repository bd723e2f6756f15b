import type Stripe from 'stripe'
import type { DisputePlan } from '../../engine/contract.ts'
import { drawFrom } from '../../engine/draw.ts'
import { paymentIntentOf } from '../dispute.ts'
import { reasonOf } from '../situations.ts'
import { buildCard } from './card.ts'
import { personOf } from './people.ts'

/** The payment that a dispute is about, with an invented cardholder. */
export function buildCharge(plan: DisputePlan): Stripe.Charge {
  const draw = drawFrom(`${plan.token} charge`)
  const person = personOf(plan.token)
  const id = `ch_3${plan.token}`
  const refunded = plan.chargeAmount > plan.amount && draw.chance(60) ? plan.chargeAmount - plan.amount : 0
  const score = draw.between(1, 74)
  const shipped = draw.chance(60)
  const order = draw.chance(80) ? { order_id: `order-${draw.digits(8)}` } : {}
  return {
    id,
    object: 'charge',
    amount: plan.chargeAmount,
    amount_captured: plan.chargeAmount,
    amount_refunded: refunded,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: `txn_3${plan.token}`,
    billing_details: {
      address: draw.chance(90) ? person.address : null,
      email: draw.chance(85) ? person.email : null,
      name: person.name,
      phone: draw.chance(50) ? person.phone : null,
      tax_id: null,
    },
    calculated_statement_descriptor: 'RECOUP DEMO SHOP',
    captured: true,
    created: plan.chargedAt,
    currency: plan.currency.toLowerCase(),
    customer: draw.chance(70) ? `cus_${plan.token.slice(0, 14)}` : null,
    description: person.product,
    disputed: true,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: { ...order, device_id: person.device, customer_number: person.customerNumber },
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: 'approved_by_network',
      reason: null,
      risk_level: score > 64 ? 'elevated' : 'normal',
      risk_score: score,
      seller_message: 'Payment complete.',
      type: 'authorized',
    },
    paid: true,
    payment_intent: paymentIntentOf(plan),
    payment_method: `pm_1${plan.token}`,
    payment_method_details: detailsOf(plan),
    receipt_email: draw.chance(40) ? person.email : null,
    receipt_number: null,
    receipt_url: `https://pay.example.com/receipts/${id}`,
    refunded: false,
    refunds: {
      object: 'list',
      data: refunded > 0 ? [buildRefund(plan, refunded)] : [],
      has_more: false,
      url: `/v1/charges/${id}/refunds`,
    },
    review: null,
    shipping: shipped
      ? {
          address: person.address,
          carrier: draw.one(['DHL', 'UPS', 'FedEx']),
          name: person.name,
          phone: person.phone,
          tracking_number: `TRACK${draw.digits(12)}`,
        }
      : null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  }
}

/** A part given back before the dispute. Its acquirer reference number is the only ARN that Stripe shows. */
function buildRefund(plan: DisputePlan, amount: number): Stripe.Refund {
  const draw = drawFrom(`${plan.token} refund`)
  const known = draw.chance(80)
  return {
    id: `re_3${plan.token}`,
    object: 'refund',
    amount,
    balance_transaction: `txn_4${plan.token}`,
    charge: `ch_3${plan.token}`,
    created: Math.floor((plan.chargedAt + plan.createdAt) / 2),
    currency: plan.currency.toLowerCase(),
    customer: null,
    customer_account: null,
    destination_details: {
      card: {
        ...(known ? { reference: `7${draw.digits(22)}` } : {}),
        reference_status: known ? 'available' : 'pending',
        reference_type: 'acquirer_reference_number',
        type: 'refund',
      },
      type: 'card',
    },
    metadata: {},
    payment_intent: paymentIntentOf(plan),
    payment_method: `pm_1${plan.token}`,
    reason: 'requested_by_customer',
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  }
}

function detailsOf(plan: DisputePlan): Stripe.Charge.PaymentMethodDetails {
  const { kind, scheme } = reasonOf(plan)
  const draw = drawFrom(`${plan.token} method`)
  const { name, email, address } = personOf(plan.token)
  if (kind === 'amazon_pay') {
    const funding = {
      card: {
        brand: 'visa',
        country: address.country,
        exp_month: 4,
        exp_year: 2030,
        funding: 'credit',
        last4: draw.digits(4),
      },
      type: 'card' as const,
    }
    return { amazon_pay: { funding, transaction_id: `S01-${draw.digits(7)}-${draw.digits(7)}` }, type: 'amazon_pay' }
  }
  if (kind === 'klarna') {
    const payer_details = { address: { country: address.country } }
    return {
      klarna: { payer_details, payment_method_category: 'pay_later', preferred_locale: 'en-US' },
      type: 'klarna',
    }
  }
  if (kind === 'paypal') {
    return {
      paypal: {
        country: address.country,
        payer_email: email,
        payer_id: `PAYER${draw.digits(8)}`,
        payer_name: name,
        seller_protection: { dispute_categories: ['fraudulent', 'product_not_received'], status: 'eligible' },
        transaction_id: draw.digits(17),
      },
      type: 'paypal',
    }
  }
  return { card: buildCard(plan, scheme ?? 'visa', address.country), type: 'card' }
}
