import { FAILS, GOES_ON } from '../../adapters/conformance/ends.ts'
import type { Subject } from '../../adapters/conformance/subject.ts'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import { stripe } from '../../adapters/stripe/index.ts'
import type { Json, JsonObject } from '../engine/contract.ts'
import { stripeSimulator } from './index.ts'

/** Facts about Stripe that the kit needs. */
export const stripeSubject: Subject = {
  definition: stripe as AdapterDefinition,
  simulator: stripeSimulator,
  inventedAccount: 'acct_doesnotexist1',
  malformedSecrets: [
    { apiKey: 'pk_test_publishable' },
    { apiKey: 'sk_org_live_organisation' },
    { apiKey: 'sk_test_new\nline' },
    { apiKey: 'sk_test_' },
    { apiKey: 'a password' },
    { apiKey: 'sk_test_fine', webhookSecret: 'not a signing secret' },
  ],
  notificationSecret: 'webhookSecret',
  // docs.stripe.com/currencies: only these have 0 or 3 digits, everything else 2, ISK and UGX included.
  currencyDigits: { ISK: 2, UGX: 2, MGA: 0, IQD: 2, LYD: 2, TND: 3, UYI: 2, CLF: 2, UYW: 2 },
  returnFunds(dispute) {
    const reinstated = { object: 'balance_transaction', amount: dispute.amount, reporting_category: 'dispute_reversal' }
    dispute.balance_transactions = [...(dispute.balance_transactions as Json[]), reinstated as Json]
  },
  plantPerson(dispute, datum) {
    dispute.evidence = { ...(dispute.evidence as object), customer_email_address: datum, customer_name: datum } as Json
  },
  listPath: '/v1/disputes',
  // Stripe has no status for an acceptance: a closed dispute, and one that the bank decided, are both lost.
  ends: {
    'waits for an answer': GOES_ON,
    'lost by decision': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    won: FAILS,
    'under review': { acceptance: ['failed', 'failed'], submission: ['failed', 'inProgress'] },
    'accepted by somebody at the PSP': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    'expired: nobody answered': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    'evidence of somebody else submitted': FAILS,
    'evidence of another client staged': GOES_ON,
    'evidence staged by a person at the PSP': {
      acceptance: GOES_ON.acceptance,
      submission: ['failed', 'inProgress'],
    },
  },
  stateMakers: {
    'evidence staged by a person at the PSP': (bench, reference) => {
      const { evidence, evidence_details } = bench.objectOf(reference) as Record<string, JsonObject>
      return bench.control('PATCH', `/disputes/${reference}`, {
        fields: {
          evidence: { ...evidence, receipt: 'file_theirs' },
          evidence_details: { ...evidence_details, has_evidence: true },
        },
      })
    },
  },
  skips: {
    'an empty page in the middle is passed':
      'a page of Stripe begins behind an id of the page before: none can be empty',
    'a cap on pages is reached': 'Stripe has no cap on pages',
    'a window that is too large is halved': 'Stripe has no limit on the window',
  },
}
