import { useEffect, useState } from 'preact/hooks'
import type { Reading } from '../api/cache.ts'
import type { CallOptions, OperationName } from '../api/call.ts'
import type { Operations } from '../api/operations.ts'
import { useRead } from '../api/use-read.ts'

/** Times between reads while the PSP has not confirmed, ms; the last one goes on. */
const WAITS_MS = [1_000, 1_000, 2_000, 5_000, 10_000, 30_000]

/** Reads often at first, then seldom, and stops once the outcome is there. */
export function usePacedRead<Name extends OperationName>(
  name: Name,
  options: Pick<CallOptions<Name>, 'params' | 'query' | 'merchant'>,
  isDone: (data: Operations[Name]['result']) => boolean,
): Reading<Operations[Name]['result']> & { done: boolean } {
  const [reads, countReads] = useState(0)
  const [everyMs, setEveryMs] = useState<number | undefined>(WAITS_MS[0])
  const read = useRead(name, options, everyMs)
  const done = read.data !== undefined && isDone(read.data)
  useEffect(() => countReads((count) => count + 1), [read.at])
  useEffect(() => setEveryMs(done ? undefined : WAITS_MS[Math.min(reads, WAITS_MS.length - 1)]), [reads, done])
  return { ...read, done }
}
