import type { Schemas } from '../api/operations.ts'

type Play = Schemas['Playbook']['play']

/** Names of playbooks: one for each kind of claim, and two that go before all others. */
export const PLAY_NAMES: Readonly<Record<Play, string>> = {
  fraud_cnp: 'Fraud, card not present',
  fraud_cp: 'Fraud, card present',
  not_received: 'Not received',
  not_described: 'Not as described, or defective',
  recurring: 'Cancelled subscription',
  credit: 'Credit not processed',
  cancelled: 'Cancelled or returned purchase',
  duplicate: 'Charged twice',
  other_means: 'Paid by other means',
  amount: 'Wrong amount, currency or code',
  authorization: 'No valid authorization',
  compliance: 'Compliance',
  consumer_general: 'Any other consumer dispute',
  general: 'Anything else',
  withdrawn: 'The customer withdrew the dispute',
  refunded: 'The money was refunded',
}
