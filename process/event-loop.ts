import { performance } from 'node:perf_hooks'

/** An event loop that has work for more than this share of the time is busy. */
const BUSY = 0.8
/** The share is measured over at least this time, ms. */
const WINDOW_MS = 200

let last = performance.eventLoopUtilization()
let lastAt = performance.now()
let busy = false

/** Whether the event loop of this thread had something to do for most of the time since it was last measured. */
export function eventLoopIsBusy(): boolean {
  const now = performance.now()
  if (now - lastAt < WINDOW_MS) return busy
  const current = performance.eventLoopUtilization()
  busy = performance.eventLoopUtilization(current, last).utilization > BUSY
  last = current
  lastAt = now
  return busy
}
