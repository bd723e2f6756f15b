/** Resources that @stripe/sync-engine 1.0.32 wants a table of. Without a file it would fetch Stripe's from the internet. */
const RESOURCES = [
  ...['account', 'active_entitlement', 'charge', 'checkout_session', 'checkout_session_line_item', 'coupon'],
  ...['credit_note', 'customer', 'dispute', 'early_fraud_warning', 'feature', 'invoice', 'payment_intent'],
  ...['payment_method', 'plan', 'price', 'product', 'refund', 'review', 'setup_intent', 'subscription'],
  ...['subscription_item', 'subscription_schedule', 'tax_id'],
]

const text = { type: 'string' }
const number = { type: 'integer' }
const PROPERTIES = {
  ...{ id: text, object: text, amount: number, charge: text, created: number, currency: text, reason: text },
  ...{ status: text, payment_intent: text, livemode: { type: 'boolean' }, evidence: { type: 'object' } },
}

/** The least description that its migrations take. */
export function openApiStub(): object {
  const schemas = RESOURCES.map((name) => [name, { type: 'object', 'x-resourceId': name, properties: PROPERTIES }])
  return {
    ...{ openapi: '3.0.0', info: { title: 'stub', version: '2026-01-01' }, paths: {} },
    components: { schemas: Object.fromEntries(schemas) },
  }
}
