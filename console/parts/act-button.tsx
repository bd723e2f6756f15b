import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useWho } from '../app/who.ts'

interface ActButtonProps {
  children: ComponentChildren
  /** Why it is impossible now, in a sentence; it is shown below. */
  why?: string | undefined
  busy?: boolean
  /** For people who don't see what it stands beside. */
  label?: string
  kind?: 'primary' | 'danger'
  onAct: () => void
}

/** A button that says why it can't be pressed. While the service is away, none can. */
export function ActButton({ children, why, busy = false, label, kind, onAct }: ActButtonProps) {
  const { away } = useWho()
  const id = useId()
  const stopped = away || busy || why !== undefined
  return (
    <span class="act">
      <button
        type="button"
        class={kind}
        aria-label={label}
        aria-disabled={stopped}
        aria-describedby={why ? id : undefined}
        onClick={() => !stopped && onAct()}
      >
        {children}
      </button>
      {why && (
        <span id={id} class="muted why">
          {why}
        </span>
      )}
    </span>
  )
}
