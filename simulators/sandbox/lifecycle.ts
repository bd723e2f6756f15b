import { applyReopening, mark, moveTo } from '../../adapters/sandbox/rules.ts'
import { asRecord } from '../../adapters/shared/raw-json.ts'
import type { DisputePlan, EventDraft, JsonObject, Outcome, Reading } from '../engine/contract.ts'
import type { Malformed } from '../engine/control/bodies.ts'
import { malformedText } from '../engine/malformed.ts'
import { decimalOf, isoOf } from './chargeback.ts'
import { situationOf } from './situations.ts'

/** Extension of the due date when a chargeback is reopened, in seconds. */
const REOPENED_FOR = 10 * 86_400
/** A decided case continues one stage higher. */
const NEXT: Readonly<Record<string, string>> = {
  inquiry: 'chargeback',
  claim: 'chargeback',
  chargeback: 'second_chargeback',
  second_chargeback: 'third_chargeback',
}

/** Reads any added object, however malformed, without throwing. */
export function readChargeback(object: JsonObject): Reading {
  const chargeback = asRecord(object)
  const seconds = (value: unknown) => {
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
    return Number.isNaN(time) ? null : Math.floor(time / 1000)
  }
  const { chargebackId: id, pspStatus: word, transactionId: link } = chargeback ?? {}
  return {
    reference: typeof id === 'string' ? id : null,
    word: typeof word === 'string' ? word : 'unknown',
    createdAt: seconds(chargeback?.postingDate),
    deadline: word === 'needs_response' ? seconds(chargeback?.dueDate) : null,
    links: typeof link === 'string' ? [link] : [],
  }
}

/** Events from before the subscription. */
export function firstEvents(plan: DisputePlan): { type: string; at: number }[] {
  const created = { type: 'chargeback.created', at: plan.createdAt }
  return situationOf(plan).open ? [created] : [created, { type: 'chargeback.updated', at: plan.endedAt }]
}

export function plantedEvents(): EventDraft[] {
  return [{ type: 'chargeback.created', previous: null }]
}

export function eventsBetween(before: JsonObject, after: JsonObject): EventDraft[] {
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ type: 'chargeback.updated', previous: null }]
}

/** Stamps every change. */
export function touch(before: JsonObject, after: JsonObject, at: number): void {
  if (!asRecord(after) || eventsBetween(before, after).length === 0) return
  if (before.pspStatus !== after.pspStatus) after.pspStatusChangeDate = isoOf(at)
  mark(after, new Date(at * 1000), {})
}

/** A missed deadline loses the case. */
export function expire(object: JsonObject, at: number): void {
  if (asRecord(object)) moveTo(object, 'lost', new Date(at * 1000))
}

/** The issuer or the PSP decides. */
export function decide(object: JsonObject, outcome: Outcome, at: number): string | null {
  if (!asRecord(object)) return 'this object is broken'
  const when = new Date(at * 1000)
  if (outcome !== 'reopened') {
    moveTo(object, outcome, when)
    return null
  }
  object.lifecycleStage = NEXT[String(object.lifecycleStage)] ?? object.lifecycleStage ?? 'chargeback'
  object.dueDate = isoOf(at + REOPENED_FOR)
  applyReopening(object, when)
  return null
}

export function setDeadline(object: JsonObject, dueAt: number | null): void {
  if (dueAt === null) delete object.dueDate
  else object.dueDate = isoOf(dueAt)
}

export function setStatus(object: JsonObject, word: string): void {
  object.pspStatus = word
}

export function setAmount(object: JsonObject, amount: number, currency: string): void {
  object.amount = decimalOf(amount, currency)
  object.currency = currency
}

/** The framework's malformations, in this PSP's fields. */
const NAMES: Readonly<Record<string, string>> = { id: 'chargebackId', created: 'postingDate', status: 'pspStatus' }

export function malformed(kind: Malformed, object: JsonObject): string {
  // Digits that no currency has; and the framework's `zzz` is no code here because it is small.
  if (kind === 'amount_float') return JSON.stringify({ ...object, amount: 10.000001 })
  const ofFramework = Object.entries(NAMES).map(([theirs, ours]) => [theirs, object[ours] ?? null] as const)
  const ours = Object.values(NAMES)
  const rest = Object.entries(object).filter(([name]) => !ours.includes(name))
  const broken = malformedText(kind, Object.fromEntries([...ofFramework, ...rest]))
  return Object.entries(NAMES).reduce((text, [theirs, name]) => text.replace(`"${theirs}":`, `"${name}":`), broken)
}
