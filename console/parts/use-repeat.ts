import { useEffect } from 'preact/hooks'
import { mayAsk } from '../api/connection.ts'
import { cache } from '../api/use-read.ts'

/** Repeats reads whose keys begin so, while `waiting` and the page is visible: for what no event reports. */
export function useRepeat(prefix: string, waiting: boolean, everyMs = 1_000): void {
  useEffect(() => {
    if (!waiting) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && mayAsk()) void cache.invalidate(prefix, true)
    }, everyMs)
    return () => clearInterval(timer)
  }, [prefix, waiting, everyMs])
}
