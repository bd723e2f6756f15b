import type { PspStatus } from '../../domain/chargeback.ts'
import { listAt } from '../shared/facts.ts'
import { type Money, minorAt } from './facts.ts'

/**
 * Status for RESOLVED_WITH_PAYOUT: PayPal paid the buyer, so the seller won, unless the money movements show that the
 * seller paid. Fees do not count.
 */
export function settlementStatus(dispute: unknown, money: Money): PspStatus {
  let paid = 0n
  for (const movement of listAt(dispute, 'money_movements')) {
    if (movement.affected_party !== 'SELLER' || movement.reason !== 'DISPUTE_SETTLEMENT') continue
    const amount = minorAt(movement, 'amount', money.currency) ?? 0n
    if (movement.type === 'DEBIT') paid += amount
    if (movement.type === 'CREDIT') paid -= amount
  }
  if (paid <= 0n) return 'won'
  return paid < money.amountMinor ? 'split' : 'lost'
}
