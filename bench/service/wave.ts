import type { OtherSide } from '../psp/other-side.ts'
import { percentile } from '../runner/metric.ts'
import { type Acceptable, applied, placeOf } from './small-merchants.ts'

/** Requests that wait for the API at once. */
const CLIENTS = 16

export interface Wave {
  perSecond: number
  /** From the API's response to the effect at the PSP, ms. */
  p50: number
  p99: number
}

/** All of these at once, by a few clients. */
export async function wave(
  otherSide: OtherSide,
  wanted: readonly Acceptable[],
  acceptOne: (one: Acceptable) => Promise<number>,
): Promise<Wave> {
  const responded = new Map<string, number>()
  const waiting = [...wanted]
  const began = Date.now()
  const client = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) responded.set(placeOf(one), await acceptOne(one))
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const times = await applied(otherSide.closings, wanted)
  // An effect may come before the response is read.
  const waits = wanted.map((one) => {
    const place = placeOf(one)
    return Math.max(0, (times.get(place) ?? Number.NaN) - (responded.get(place) ?? Number.NaN))
  })
  const seconds = (Math.max(...times.values()) - began) / 1000
  return { perSecond: wanted.length / seconds, p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
}
