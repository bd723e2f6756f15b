import { useEffect, useRef } from 'preact/hooks'
import { startLive } from '../api/live.ts'
import { cache } from '../api/use-read.ts'
import { useWho } from './who.ts'

/** A service that answers one read and fails at another comes back all the time: all is read again this seldom, ms. */
const RETURNS_APART_MS = 15_000

const readAgain = (prefix: string) => void cache.invalidate(prefix, true)

/** Has what events change read again, and everything once the service is back: what failed meanwhile is not repeated by itself. */
export function Live() {
  const { merchant, away } = useWho()
  const wasAway = useRef(false)
  const returnedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => startLive({ merchant, onChange: readAgain }), [merchant])
  useEffect(() => {
    const isBack = wasAway.current && !away
    wasAway.current = away
    if (!isBack || Date.now() - returnedAt.current < RETURNS_APART_MS) return
    returnedAt.current = Date.now()
    readAgain('')
  }, [away])
  return null
}
