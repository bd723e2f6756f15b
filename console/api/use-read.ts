import { useEffect, useState } from 'preact/hooks'
import { createCache, type Reading } from './cache.ts'
import { type CallOptions, call, type OperationName } from './call.ts'
import { mayAsk } from './connection.ts'
import { isLive } from './live.ts'
import type { Operations } from './operations.ts'

export const cache = createCache()

type ReadOptions<Name extends OperationName> = Pick<CallOptions<Name>, 'params' | 'query' | 'merchant'>

export const keyOf = <Name extends OperationName>(name: Name, { params, query, merchant }: ReadOptions<Name>) =>
  [name, JSON.stringify(params ?? {}), merchant ?? '', JSON.stringify(query ?? {})].join(' ')

const loadOf =
  <Name extends OperationName>(name: Name, options: ReadOptions<Name>) =>
  (signal: AbortSignal, background: boolean) =>
    call(name, { ...options, signal, background })

/** Asks for what a screen that is about to be rendered will read. @returns when the answer is there */
export const readAhead = <Name extends OperationName>(name: Name, options: ReadOptions<Name>): Promise<void> =>
  cache.ahead(keyOf(name, options), loadOf(name, options))

const NOTHING = { data: undefined, failure: undefined, at: Number.NEGATIVE_INFINITY, loading: true }

/** While events tell what changes, a read is repeated this seldom. */
const LIVE_EVERY_MS = 60_000

/**
 * Reads when there is nothing new, when the window gets the focus, when an event reports a change, and every `everyMs` while
 * the page is visible.
 * @returns a function that ends it
 */
export function keepRead<Name extends OperationName>(
  name: Name,
  options: ReadOptions<Name>,
  listener: (reading: Reading<Operations[Name]['result']>) => void,
  everyMs?: number,
): () => void {
  const key = keyOf(name, options)
  const now = () => (cache.reading(key) ?? NOTHING) as Reading<Operations[Name]['result']>
  const leave = cache.use(key, loadOf(name, options), () => listener(now()))
  const again = () => {
    if (document.visibilityState === 'visible' && !now().loading) void cache.refresh(key, true)
  }
  const poll = () => {
    if (mayAsk() && (!isLive() || Date.now() - now().at > LIVE_EVERY_MS)) again()
  }
  const timer = everyMs === undefined ? undefined : setInterval(poll, everyMs)
  window.addEventListener('focus', again)
  return () => {
    leave()
    clearInterval(timer)
    window.removeEventListener('focus', again)
  }
}

/** The latest response to a read, which is repeated as described at `keepRead`. Nothing is requested unless `wanted`. */
export function useRead<Name extends OperationName>(
  name: Name,
  options: ReadOptions<Name>,
  everyMs?: number,
  wanted = true,
): Reading<Operations[Name]['result']> & { again: () => Promise<void> } {
  const key = keyOf(name, options)
  const [, render] = useState(0)
  const reading = { ...(cache.reading(key) ?? NOTHING) } as Reading<Operations[Name]['result']>
  // The key has every option.
  useEffect(() => {
    if (!wanted) return
    const leave = keepRead(name, options, () => render((count) => count + 1), everyMs)
    const { at, loading } = cache.reading(key) ?? NOTHING
    if (at !== reading.at || loading !== reading.loading) render((count) => count + 1)
    return leave
  }, [key, everyMs, wanted])
  return { ...reading, again: () => cache.refresh(key) }
}
