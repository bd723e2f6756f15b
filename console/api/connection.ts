import { pauseAfter } from './pause.ts'

/** What the page knows about its connection to the service. */
export interface Connection {
  /** Time of the last answer by this machine's clock, ms; null before the first. */
  answeredAt: number | null
  /** Whether the last request had no answer. */
  away: boolean
  /** Server's clock minus this machine's, ms. */
  offset: number
  /** Time of the last request that the person caused, ms. */
  usedAt: number
}

let current: Connection = { answeredAt: null, away: false, offset: 0, usedAt: Date.now() }
const listeners = new Set<() => void>()

export const connection = () => current

/** @returns a function that ends the subscription */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Number of tries in a row without an answer, and when the page may try again by itself, ms. */
let unanswered = 0
let quietUntil = 0

/** Whether the page may read by itself: while the service does not answer, 1 to 30 s lie between its tries. */
export const mayAsk = (): boolean => !current.away || Date.now() >= quietUntil

export function changeConnection(change: Partial<Connection>): void {
  if (change.away === true && Date.now() >= quietUntil) quietUntil = Date.now() + pauseAfter(++unanswered)
  if (change.away === false) unanswered = quietUntil = 0
  current = { ...current, ...change }
  for (const listener of listeners) listener()
}

/** The tabs of a browser share a session, and what a person does in one of them prolongs it. */
const tabs = new BroadcastChannel('recoup-used')
tabs.onmessage = ({ data }: MessageEvent<number>) => changeConnection({ usedAt: Math.max(current.usedAt, data) })

/** The person caused a request. */
export function markUsed(): void {
  const usedAt = Date.now()
  changeConnection({ usedAt })
  tabs.postMessage(usedAt)
}

/** The server's time: due dates are not counted by this machine's clock. */
export const serverNow = () => Date.now() + current.offset
