import type { JsonObject, Outcome } from '../engine/contract.ts'
import { asDispute, happen, lastAt } from './dispute.ts'
import { isoOf } from './payment.ts'

/** Extension of the due date when a dispute continues, in seconds. */
const REOPENED_FOR = 10 * 86_400

/** The merchant did not answer before the end of the defence period. */
export function expireDispute(object: JsonObject, at: number): void {
  const dispute = asDispute(object)
  const { simulated } = dispute
  simulated.open = false
  if (simulated.stage === 'inquiry') happen(dispute, { code: 'REQUEST_FOR_INFORMATION', at, status: 'Expired' })
  else if (simulated.stage === 'second_chargeback') happen(dispute, { code: 'PREARBITRATION_LOST', at })
  else happen(dispute, { code: 'DISPUTE_DEFENSE_PERIOD_ENDED', at, status: 'Undefended' })
}

export function acceptAtAdyen(object: JsonObject, at: number): void {
  const dispute = asDispute(object)
  dispute.simulated.open = false
  if (dispute.simulated.stage === 'second_chargeback') happen(dispute, { code: 'PREARBITRATION_ACCEPTED', at })
  else happen(dispute, { code: 'DISPUTE_DEFENSE_PERIOD_ENDED', at, status: 'Accepted' })
}

export function defendAtAdyen(object: JsonObject, at: number): void {
  const dispute = asDispute(object)
  Object.assign(dispute.simulated, { open: false, defended: true })
  const status = dispute.simulated.stage === 'inquiry' ? 'Responded' : 'Pending'
  happen(dispute, { code: 'INFORMATION_SUPPLIED', at, status })
}

/**
 * The issuer or the scheme decides. Adyen knows no partial outcome. A win is provisional until the issuer's time is
 * over; `reopened` is a pre-arbitration, and a chargeback after a request for information.
 */
export function decideDispute(object: JsonObject, outcome: Outcome, at: number): string | null {
  const dispute = asDispute(object)
  const { simulated } = dispute
  if (outcome === 'split') return 'Adyen knows no partial outcome'
  if (simulated.stage === 'alert') return 'a notification of fraud is no dispute: nobody decides it'
  if (outcome === 'reopened') return reopen(object, at)
  const won = outcome === 'won'
  simulated.open = false
  if (simulated.stage === 'inquiry') {
    happen(dispute, { code: 'REQUEST_FOR_INFORMATION', at, status: won ? 'Expired' : 'Lost' })
  } else if (simulated.stage === 'third_chargeback') {
    happen(dispute, { code: won ? 'SCHEME_ARBITRATION_WON' : 'SCHEME_ARBITRATION_LOST', at })
  } else if (simulated.stage === 'second_chargeback') {
    happen(dispute, { code: won ? 'PREARBITRATION_WON' : 'PREARBITRATION_LOST', at })
  } else if (won) {
    happen(dispute, { code: 'CHARGEBACK_REVERSED', at, status: 'Won' })
    happen(dispute, { code: 'ISSUER_RESPONSE_TIMEFRAME_EXPIRED', at, status: 'Won' })
  } else if (simulated.defended) {
    simulated.stage = 'second_chargeback'
    happen(dispute, { code: 'SECOND_CHARGEBACK', at, status: 'Lost' })
  } else {
    happen(dispute, { code: 'DISPUTE_DEFENSE_PERIOD_ENDED', at, status: 'Lost' })
  }
  return null
}

function reopen(object: JsonObject, at: number): string | null {
  const dispute = asDispute(object)
  const { simulated } = dispute
  const dueAt = at + REOPENED_FOR
  const data = { defendable: 'true', defensePeriodEndsAt: isoOf(dueAt) }
  if (simulated.stage === 'third_chargeback') return 'the scheme has ruled: nobody opens it again'
  if (simulated.stage === 'second_chargeback') {
    simulated.stage = 'third_chargeback'
    happen(dispute, { code: 'SCHEME_ARBITRATION', at })
    return null
  }
  const inquiry = simulated.stage === 'inquiry'
  Object.assign(simulated, { open: true, dueAt, defended: false, documents: {} })
  simulated.stage = inquiry ? 'chargeback' : 'second_chargeback'
  happen(dispute, { code: inquiry ? 'NOTIFICATION_OF_CHARGEBACK' : 'PREARBITRATION_OPEN', at, data })
  return null
}

/** `EVENT_CODE`, `EVENT_CODE/disputeStatus`, or any other text, which is sent as an unknown disputeStatus. */
export function setStatus(object: JsonObject, word: string): void {
  const dispute = asDispute(object)
  const [code = '', status] = word.split('/')
  const at = lastAt(dispute) + 1
  const known = /^[A-Z_]{8,}$/.test(code)
  if (known) happen(dispute, { code, at, ...(status !== undefined && { status }) })
  else happen(dispute, { code: String(dispute.items[0]?.eventCode), at, status: word })
}

/** A new date is reported by repeating the opening event. */
export function setDeadline(object: JsonObject, dueAt: number | null): void {
  const dispute = asDispute(object)
  dispute.simulated.dueAt = dueAt
  repeat(object, (item) => {
    const { defensePeriodEndsAt: _, ...data } = item.additionalData as JsonObject
    item.additionalData = dueAt === null ? data : { ...data, defensePeriodEndsAt: isoOf(dueAt) }
  })
}

export function setAmount(object: JsonObject, value: number, currency: string): void {
  const code = currency.toUpperCase()
  object.currency = code
  repeat(object, (item) => {
    item.amount = { currency: code, value }
  })
}

/** Repeats the last opening event, a second later. */
function repeat(object: JsonObject, alter: (item: JsonObject) => void): void {
  const dispute = asDispute(object)
  const opening = /^(NOTIFICATION_|REQUEST_|CHARGEBACK$|DISPUTE_OPENED_|SECOND_|PREARBITRATION_OPEN)/
  const last = dispute.items.findLast((item) => opening.test(String(item.eventCode)))
  if (!last) return
  const again = structuredClone(last)
  again.eventDate = isoOf(lastAt(dispute) + 1)
  alter(again)
  dispute.items.push(again)
}
