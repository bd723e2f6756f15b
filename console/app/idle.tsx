import { useEffect, useState } from 'preact/hooks'
import { connection } from '../api/connection.ts'
import { readSession } from '../api/session.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useWho } from './who.ts'

/** A session ends 30 minutes after the last act; the last minute is not relied on. */
const WARN_MS = 27 * 60_000

/** Warns before the session ends for want of use. Polls of the page are no use. */
export function IdleWarning({ onEnd }: { onEnd: () => void }) {
  const { me } = useWho()
  const [warned, warn] = useState(false)
  useEffect(() => {
    const timer = setInterval(() => warn(Date.now() - connection().usedAt > WARN_MS), 5_000)
    return () => clearInterval(timer)
  }, [])
  if (!warned) return null
  const stay = () => {
    warn(false)
    readSession().then(
      // Another person may have signed in in another tab.
      (now) => now?.credentialId === me.credentialId || onEnd(),
      () => {},
    )
  }
  return (
    <Dialog title="Are you still there?" onClose={stay}>
      <p>You will be signed out in about two minutes, because nothing was done here for a while.</p>
      <div class="buttons">
        {/* biome-ignore lint/a11y/noAutofocus: one key prolongs */}
        <button type="button" class="primary" autoFocus onClick={stay}>
          Stay signed in
        </button>
      </div>
    </Dialog>
  )
}
