import { useEffect, useState } from 'preact/hooks'
import type { CallOptions, OperationName } from '../api/call.ts'
import { mayAsk } from '../api/connection.ts'
import type { Operations } from '../api/operations.ts'
import { cache, keyOf, useRead } from '../api/use-read.ts'

/** Times between reads while the PSP has not confirmed, ms; the last one goes on. */
const WAITS_MS = [1_000, 1_000, 2_000, 5_000, 10_000, 30_000]

/**
 * Reads often at first, then seldom, and stops once the outcome is there: also while events report changes, because not
 * every step of a command is an event.
 */
export function usePacedRead<Name extends OperationName>(
  name: Name,
  options: Pick<CallOptions<Name>, 'params' | 'query' | 'merchant'>,
  isDone: (data: Operations[Name]['result']) => boolean,
): ReturnType<typeof useRead<Name>> & { done: boolean } {
  const [turns, countTurns] = useState(0)
  const key = keyOf(name, options)
  const read = useRead(name, options)
  const done = read.data !== undefined && isDone(read.data)
  useEffect(() => {
    if (done) return
    const timer = setTimeout(
      () => {
        countTurns(turns + 1)
        if (document.visibilityState === 'visible' && mayAsk()) void cache.refresh(key, true)
      },
      WAITS_MS[Math.min(turns, WAITS_MS.length - 1)],
    )
    return () => clearTimeout(timer)
  }, [key, turns, done])
  return { ...read, done }
}
