import { useRef, useState } from 'preact/hooks'
import { CallFailure } from '../api/failure.ts'
import { announce } from './announce.tsx'

/** One request of a person that changes something. */
export interface Act {
  /** Its arguments: the same ones again are a retry, others a new request. */
  about?: unknown
  /** @param key Idempotency-Key of the request */
  run: (key: string) => Promise<unknown>
  /** Said to people who don't see the page, once it is done. */
  done?: string
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
  const lost = useRef<{ about: string; key: string } | undefined>(undefined)

  /** @returns whether it was done; `problem` says why not */
  async function act({ about, run, done }: Act): Promise<boolean> {
    if (running.current) return false
    running.current = true
    setBusy(true)
    setProblem(undefined)
    const meant = JSON.stringify(about ?? null)
    const key = lost.current?.about === meant ? lost.current.key : crypto.randomUUID()
    lost.current = undefined
    try {
      await run(key)
      if (done) announce(done)
      return true
    } catch (error) {
      const isLost = error instanceof CallFailure && error.status === 0
      if (isLost) lost.current = { about: meant, key }
      const words = isLost ? LOST : (error as Error).message
      setProblem(words)
      announce(words, { urgent: true })
      return false
    } finally {
      running.current = false
      setBusy(false)
    }
  }

  return { act, busy, problem, setProblem }
}
