import type Stripe from 'stripe'
import type { StripeRequest } from './endpoint.ts'
import { DEMO_ACCOUNT } from './keys.ts'

/** GET /v1/account: the account of the key, or the one that Stripe-Context names. */
export function retrieveAccount({ account }: StripeRequest): string {
  return JSON.stringify(buildAccount(account.id))
}

/** A standard account with every field that Stripe's description requires, `settings` with all four of its parts. */
function buildAccount(id: string): Stripe.Account {
  const name = id === DEMO_ACCOUNT ? 'Recoup Demo Shop' : `Simulated shop ${id.slice(5)}`
  return {
    id,
    object: 'account',
    business_profile: {
      mcc: '5734',
      minority_owned_business_designation: null,
      name,
      specified_commercial_transactions_act_url: null,
      support_address: null,
      support_email: 'support@example.com',
      support_phone: null,
      support_url: null,
      url: 'https://shop.example.com',
    },
    business_type: 'company',
    capabilities: { card_payments: 'active', transfers: 'active' },
    charges_enabled: true,
    controller: { type: 'account' },
    country: 'US',
    created: 1_700_000_000,
    default_currency: 'usd',
    details_submitted: true,
    email: 'owner@example.com',
    metadata: {},
    payouts_enabled: true,
    settings: {
      bacs_debit_payments: { display_name: null, service_user_number: null },
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_issuing: { tos_acceptance: { date: null, ip: null } },
      card_payments: {
        decline_on: { avs_failure: false, cvc_failure: false },
        statement_descriptor_prefix: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      dashboard: { display_name: name, timezone: 'Etc/UTC' },
      invoices: { default_account_tax_ids: null, hosted_payment_method_save: null },
      payments: {
        statement_descriptor: 'RECOUP DEMO SHOP',
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        statement_descriptor_prefix_kana: null,
        statement_descriptor_prefix_kanji: null,
      },
      payouts: {
        debit_negative_balances: true,
        schedule: { delay_days: 2, interval: 'daily' },
        statement_descriptor: null,
      },
      sepa_debit_payments: {},
    },
    type: 'standard',
  }
}
