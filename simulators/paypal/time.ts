import type { DisputePlan } from '../engine/contract.ts'
import { situationOf } from './situations.ts'

/** The engine counts in seconds; details of PayPal's show milliseconds, lists do not. */
export function iso(seconds: number, milliseconds = 0): string {
  return new Date(seconds * 1000 + milliseconds).toISOString()
}

export function secondsOf(time: unknown): number | null {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? null : Math.floor(at / 1000)
}

/** The same time as a list prints it. */
export function wholeSecond(time: unknown): unknown {
  const seconds = secondsOf(time)
  return seconds === null ? time : iso(seconds)
}

/** Some milliseconds, always the same for the same thing. */
export function millisecondsOf(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 1000
  return sum
}

/** When a planned dispute was updated last, in seconds; for a late comer when it came. */
export function plannedUpdate(plan: DisputePlan): number {
  if (plan.appearedAt) return plan.appearedAt
  return situationOf(plan).open ? plan.createdAt : plan.endedAt
}
