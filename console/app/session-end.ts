import { useEffect, useState } from 'preact/hooks'
import { serverNow } from '../api/connection.ts'
import { readSession, sessionEndsAt } from '../api/session.ts'
import { useWho } from './who.ts'

/** Long enough to finish a form, ms. */
const WARN_MS = 10 * 60_000
const LOOK_EVERY_MS = 5_000

const isNear = () => sessionEndsAt() - serverNow() < WARN_MS

/**
 * When the session ends, if that is soon: the person can still save what they typed. It is shown as a banner, because a
 * dialog would interrupt them.
 * @param onEnd another person has signed in meanwhile
 * @returns server's time, ms
 */
export function useSessionEnd(onEnd: () => void): number | undefined {
  const { me } = useWho()
  const [end, setEnd] = useState<number>()
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState !== 'visible') return
      if (!isNear()) return setEnd(undefined)
      // The person may have signed in again in another tab.
      const now = await readSession({ background: true })
      if (now?.credentialId !== me.credentialId) return onEnd()
      setEnd(isNear() ? sessionEndsAt() : undefined)
    }
    // Unavailable: the end is as it was known.
    const lookNow = () => void look().catch(() => {})
    const timer = setInterval(lookNow, LOOK_EVERY_MS)
    document.addEventListener('visibilitychange', lookNow)
    lookNow()
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', lookNow)
    }
  }, [me.credentialId])
  return end
}
