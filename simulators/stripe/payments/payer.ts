import type Stripe from 'stripe'
import type { DisputePlan } from '../../engine/contract.ts'
import { buildCharge } from './charge.ts'
import { personOf } from './people.ts'

export function buildPaymentIntent(plan: DisputePlan): Stripe.PaymentIntent {
  const charge = buildCharge(plan)
  const id = `pi_3${plan.token}`
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: charge.amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: charge.amount,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: { enabled: true },
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: null,
    confirmation_method: 'automatic',
    created: charge.created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    description: charge.description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: charge.id,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: charge.metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: charge.payment_method,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: [charge.payment_method_details?.type ?? 'card'],
    payment_record: null,
    processing: null,
    receipt_email: charge.receipt_email,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
  }
}

/** The customer of a charge; one in ten was deleted since. */
export function buildCustomer(plan: DisputePlan): Stripe.Customer | Stripe.DeletedCustomer {
  const person = personOf(plan.token)
  const id = `cus_${plan.token.slice(0, 14)}`
  if (plan.token.charCodeAt(2) % 10 === 0) return { id, object: 'customer', deleted: true }
  return {
    id,
    object: 'customer',
    address: person.address,
    balance: 0,
    created: plan.chargedAt - 86_400,
    currency: plan.currency.toLowerCase(),
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: person.email,
    invoice_prefix: plan.token.slice(0, 7).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: {},
    name: person.name,
    next_invoice_sequence: 1,
    phone: person.phone,
    preferred_locales: ['en'],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  }
}
