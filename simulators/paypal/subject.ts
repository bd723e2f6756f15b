import { FAILS, GOES_ON } from '../../adapters/conformance/ends.ts'
import type { Subject } from '../../adapters/conformance/subject.ts'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import { paypal } from '../../adapters/paypal/index.ts'
import type { Json, JsonObject } from '../engine/contract.ts'
import { paypalSimulator } from './index.ts'

const { clientId = '', clientSecret = '' } = paypalSimulator.secretPayload

/** Facts about PayPal that the kit needs. */
export const paypalSubject: Subject = {
  definition: paypal as AdapterDefinition,
  simulator: paypalSimulator,
  inventedAccount: 'SOMEBODYELSE1',
  malformedSecrets: [
    { clientId: 'owner@shop.example', clientSecret },
    { clientId: 'with:colon', clientSecret },
    { clientId, clientSecret: 'new\nline' },
    { clientId, clientSecret: 'a password' },
    { clientId: 'AVthesametwice', clientSecret: 'AVthesametwice' },
    { clientId, clientSecret, webhookId: 'https://shop.example/webhook' },
  ],
  notificationSecret: 'webhookId',
  // Decimals in major units: PayPal has no minor unit.
  currencyDigits: {},
  returnFunds(dispute) {
    const movements = Array.isArray(dispute.money_movements) ? dispute.money_movements : []
    const credit: JsonObject = {
      affected_party: 'SELLER',
      type: 'CREDIT',
      reason: 'DISPUTE_SETTLEMENT',
      amount: dispute.dispute_amount as JsonObject,
    }
    dispute.money_movements = [...movements, credit] as Json
  },
  plantPerson(dispute, datum) {
    dispute.messages = [{ posted_by: 'BUYER', content: datum }]
    const [first] = dispute.disputed_transactions as JsonObject[]
    dispute.disputed_transactions = [{ ...first, buyer: { name: datum, email: datum } }] as Json
  },
  listPath: '/v1/customer/disputes',
  writePath: '/v1/customer/disputes',
  // PayPal gives a reason for some decisions only: a loss without one may be an accepted acceptance of Recoup's.
  ends: {
    'waits for an answer': GOES_ON,
    'lost by decision': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    won: FAILS,
    'under review': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'inProgress'] },
    'accepted by somebody at the PSP': {
      acceptance: ['succeeded', 'succeeded'],
      submission: ['failed', 'failed'],
      says: 'SELLER_AGREED',
    },
    'expired: nobody answered': { acceptance: ['failed', 'inProgress'], submission: ['failed', 'failed'] },
    'evidence of somebody else submitted': {
      acceptance: ['failed', 'inProgress'],
      submission: ['failed', 'inProgress'],
    },
    'evidence of another client staged': 'nothing can be staged at PayPal',
    'evidence staged by a person at the PSP': 'nothing can be staged at PayPal',
  },
  skips: {
    'an empty page in the middle is passed': 'tested by paypal/list.test.ts "an empty page in the middle"',
    'a cap on pages is reached': 'tested by paypal/page-limit.test.ts "more rows than PayPal shows"',
    'a window that is too large is halved': 'tested by paypal/page-limit.test.ts "more rows than PayPal shows"',
    'an old signature is refused':
      'PayPal repeats a delivery for three days under its first time (paypal/notifications.test.ts "older")',
  },
}
