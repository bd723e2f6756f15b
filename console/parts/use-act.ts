import { useRef, useState } from 'preact/hooks'
import { serverNow } from '../api/connection.ts'
import { CallFailure, sentenceOf } from '../api/failure.ts'
import { announce } from './announce.tsx'

/** One request of a person that changes something. */
export interface Act {
  /** Its arguments: the same ones again are a retry, others a new request. */
  about?: unknown
  /**
   * @param key Idempotency-Key of the request
   * @param firstAt server's time of the first try, ms: a retry is the same request only with the same time
   */
  run: (key: string, firstAt: number) => Promise<unknown>
  /** Said to people who don't see the page, once it is done. */
  done?: string
  /** Called when the service refused it, so that the same request isn't tried again. */
  onRefused?: () => void
}

export const LOST =
  'The service did not answer, so this may have been done. Trying again does it once only, and shows the result.'

/**
 * One act at a time, nothing before the API's answer. After a lost answer the same act keeps its idempotency key, so
 * that it is done once however often it is tried.
 */
export function useAct() {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  // Not a state: a double click comes before the next render.
  const running = useRef(false)
  const lost = useRef<{ about: string; key: string; firstAt: number } | undefined>(undefined)

  /** @returns whether it was done; `problem` says why not, for a `Problem` or a field, which are read out */
  async function act({ about, run, done, onRefused }: Act): Promise<boolean> {
    if (running.current) return false
    running.current = true
    setBusy(true)
    setProblem(undefined)
    const meant = JSON.stringify(about ?? null)
    const attempt =
      lost.current?.about === meant ? lost.current : { about: meant, key: crypto.randomUUID(), firstAt: serverNow() }
    lost.current = undefined
    try {
      await run(attempt.key, attempt.firstAt)
      if (done) announce(done)
      return true
    } catch (error) {
      const isLost = error instanceof CallFailure && error.status === 0
      if (isLost) lost.current = attempt
      else onRefused?.()
      setProblem(isLost ? LOST : sentenceOf(error))
      return false
    } finally {
      running.current = false
      setBusy(false)
    }
  }

  return { act, busy, problem, setProblem }
}
