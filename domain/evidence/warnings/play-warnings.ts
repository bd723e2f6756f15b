import type { Facts, Warning } from '../gather-facts.ts'
import type { PlayId } from '../playbooks/playbook.ts'
import type { OrderItems } from '../structures/order-items.ts'
import { datesInWords } from './dates-in-words.ts'

/** What speaks against the answer to this claim, for the merchant: automatic submission waits for a person. */
export function playWarnings(play: PlayId, facts: Facts, now: Date): Warning[] {
  const warnings = datesInWords(facts, now)
  if (play === 'fraud_cp' && (facts.authenticated ?? facts.authenticationAttempted))
    warnings.push({
      code: 'adverse',
      facts: ['threeDsResult'],
      message:
        '3-D Secure is for sales on the internet, and the claim is about a card at a terminal: check the payment.',
    })
  const total = (facts.orderItems?.value as OrderItems | undefined)?.total
  if (play === 'amount' && total && facts.amount && !facts.orderTotal)
    warnings.push({
      code: 'adverse',
      facts: ['orderItems'],
      message: 'The lines of the order add up to another amount than the disputed one.',
    })
  return warnings
}
