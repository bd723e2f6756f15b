import type { Row } from './shop.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const PSPS = ['adyen', 'stripe', 'paypal', 'braintree'] as const
const REASONS = [
  ['fraud', '10.4', 'Other Fraud: Card-Absent Environment'],
  ['consumer_dispute', '13.1', 'Merchandise or Services Not Received'],
  ['consumer_dispute', '4853', 'Cardholder Dispute'],
  ['fraud', '4837', 'No Cardholder Authorization'],
  ['processing_error', '12.6', 'Duplicate Processing'],
  ['authorization', '11.3', 'No Authorization'],
] as const
const STAGES = ['chargeback', 'chargeback', 'chargeback', 'inquiry', 'second_chargeback'] as const

/** Numbers that look random and are the same each time. */
function numbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** A shop's chargebacks as they are on a day: a year of decided ones, and open ones that are due soon and later. */
export function demoRows(now: number, counts: { open: number; decided: number }): Row[] {
  const next = numbers(7)
  const at = (ms: number) => new Date(ms)
  const row = (n: number): Row => {
    const [reason_group, reason_code, reason] = REASONS[next(REASONS.length)] ?? REASONS[0]
    const currency = n % 5 === 4 ? 'USD' : 'EUR'
    return {
      ...{ psp: PSPS[next(PSPS.length)] ?? 'stripe', reason_group, reason_code, reason, currency },
      amount_minor: BigInt(900 + next(4) * next(9_000) + next(3_000)),
      lifecycle_stage: STAGES[next(STAGES.length)] ?? 'chargeback',
      card_scheme: /^\d{2}\./.test(reason_code) ? 'visa' : 'mastercard',
      card_last_four_digits: String(1_000 + next(9_000)),
    }
  }
  const open = Array.from({ length: counts.open }, (_, n): Row => {
    const enriched = next(11) / 10
    const win = 20 + next(700) / 10
    // The first is overdue, the next ones are due within hours; then come days and weeks.
    const due = n === 0 ? -3 * HOUR : n < 4 ? (4 + n * 6) * HOUR + next(HOUR) : DAY + next(24 * n) * HOUR + next(HOUR)
    return {
      ...row(n),
      ...{ due_date: at(now + due), posting_date: at(now - next(20) * DAY), psp_status: 'needs_response' },
      status: enriched >= 0.8 ? 'building_evidence' : 'waiting_for_data',
      ...{ enrichment_ratio: String(enriched), win_probability: String(win) },
      roi_recommendation: win < 35 ? 'Accept' : 'Fight',
    }
  })
  const decided = Array.from({ length: counts.decided }, (_, n): Row => {
    const posted = now - next(360) * DAY - next(24) * HOUR
    const won = next(100) < 46
    return {
      ...row(n),
      ...{ posting_date: at(posted), due_date: at(posted + 10 * DAY) },
      psp_status_change_date: at(Math.min(now - HOUR, posted + (20 + next(30)) * DAY)),
      ...{ psp_status: won ? 'won' : next(20) === 0 ? 'split' : 'lost', status: 'pending_psp_results' },
      ...{ enrichment_ratio: '0.9', win_probability: String(30 + next(600) / 10), roi_recommendation: 'Fight' },
    }
  })
  return [...open, ...decided]
}
