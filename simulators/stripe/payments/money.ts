import type Stripe from 'stripe'
import { CURRENCIES, DOLLARS } from '../situations.ts'

/** Currency in which the simulated accounts settle. */
const SETTLEMENT = 'usd'
/** Stripe's dispute fee in cents; refunded when the dispute is won. */
const DISPUTE_FEE = 1500

function settledAmount(amount: number, currency: string): { settled: number; rate: number | null } {
  const code = currency.toUpperCase()
  const exponent = CURRENCIES.find((candidate) => candidate.code === code)?.exponent ?? 2
  const rate = DOLLARS[code] ?? 1
  return { settled: Math.round((amount / 10 ** exponent) * rate * 100), rate: code === 'USD' ? null : rate }
}

/** What moved on the account because of a dispute, in its settlement currency. */
export function disputeTransaction(
  dispute: { id: string; amount: number; currency: string },
  direction: 'withdrawal' | 'reinstatement',
  created: number,
): Stripe.BalanceTransaction {
  const { settled, rate } = settledAmount(dispute.amount, dispute.currency)
  const sign = direction === 'withdrawal' ? -1 : 1
  const fee = direction === 'withdrawal' ? DISPUTE_FEE : 0
  return {
    id: `txn_${direction === 'withdrawal' ? '1' : '2'}${dispute.id.slice(-22)}`,
    object: 'balance_transaction',
    amount: sign * settled,
    available_on: created + 2 * 86_400,
    balance_type: 'payments',
    created,
    currency: SETTLEMENT,
    description: direction === 'withdrawal' ? 'Chargeback withdrawal' : 'Chargeback reversal',
    exchange_rate: rate,
    fee,
    fee_details:
      fee === 0
        ? []
        : [{ amount: fee, application: null, currency: SETTLEMENT, description: 'Dispute fee', type: 'stripe_fee' }],
    net: sign * settled - fee,
    reporting_category: direction === 'withdrawal' ? 'dispute' : 'dispute_reversal',
    source: dispute.id,
    status: 'available',
    type: 'adjustment',
  }
}

export function chargeTransaction(charge: Stripe.Charge): Stripe.BalanceTransaction {
  const { settled, rate } = settledAmount(charge.amount, charge.currency)
  const fee = Math.round(settled * 0.029) + 30
  return {
    id: typeof charge.balance_transaction === 'string' ? charge.balance_transaction : `txn_3${charge.id.slice(4)}`,
    object: 'balance_transaction',
    amount: settled,
    available_on: charge.created + 2 * 86_400,
    balance_type: 'payments',
    created: charge.created,
    currency: SETTLEMENT,
    description: charge.description,
    exchange_rate: rate,
    fee,
    fee_details: [
      {
        amount: fee,
        application: null,
        currency: SETTLEMENT,
        description: 'Stripe processing fees',
        type: 'stripe_fee',
      },
    ],
    net: settled - fee,
    reporting_category: 'charge',
    source: charge.id,
    status: 'available',
    type: 'charge',
  }
}
