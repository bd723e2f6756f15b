import { useEffect, useState } from 'preact/hooks'
import { serverNow } from '../api/connection.ts'
import { readSession, sessionEndsAt } from '../api/session.ts'
import { clock } from '../parts/when.tsx'
import { useWho } from './who.ts'

/** Long enough to finish a form, ms. */
const WARN_MS = 10 * 60_000
const LOOK_EVERY_MS = 5_000

const isNear = () => sessionEndsAt() - serverNow() < WARN_MS

/**
 * Tells that the session ends soon and can't be prolonged, while what was typed can still be saved. No dialog: the person
 * goes on with it.
 * @param onEnd another person has signed in meanwhile
 */
export function SessionEnd({ onEnd }: { onEnd: () => void }) {
  const { me } = useWho()
  const [end, setEnd] = useState<number>()
  useEffect(() => {
    const look = async () => {
      if (!isNear()) return setEnd(undefined)
      // The person may have signed in again in another tab.
      const now = await readSession({ background: true })
      if (now?.credentialId !== me.credentialId) return onEnd()
      setEnd(isNear() ? sessionEndsAt() : undefined)
    }
    // Unavailable: the end is as it was known.
    const timer = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS)
    void look().catch(() => {})
    return () => clearInterval(timer)
  }, [me.credentialId])
  if (end === undefined) return null
  return (
    <p class="banner warn" role="status">
      You will be signed out at {clock(end)}, and nothing prolongs it. Save what you have typed; then sign in again.
    </p>
  )
}
