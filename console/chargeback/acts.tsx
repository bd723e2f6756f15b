import { useState } from 'preact/hooks'
import type { Schemas } from '../api/operations.ts'
import { mayWork, useWho } from '../app/who.ts'
import { AcceptDialog } from './accept.tsx'
import type { Assessed, Details } from './data.ts'
import { DecideDialog } from './decide.tsx'

type Opened = 'accept' | 'fight' | 'no-fight' | null

/** What the person may do. Without permission it is absent; impossible now, it says why. */
export function Acts({ chargeback, assessment }: { chargeback: Details; assessment: Assessed | undefined }) {
  const { me } = useWho()
  const [opened, open] = useState<Opened>(null)
  const { actions } = chargeback
  if (!mayWork(me) || !actions) return null
  const inScope = assessment?.scope.inScope
  const close = () => open(null)
  return (
    <div class="acts">
      {inScope === false && <Act action={actions.decide} label="Fight…" onOpen={() => open('fight')} />}
      {inScope === true && <Act action={actions.decide} label="Don't fight…" onOpen={() => open('no-fight')} />}
      <Act action={actions.accept} label="Accept…" onOpen={() => open('accept')} />
      {opened === 'accept' && <AcceptDialog chargeback={chargeback} onClose={close} />}
      {(opened === 'fight' || opened === 'no-fight') && (
        <DecideDialog chargeback={chargeback} fight={opened === 'fight'} onClose={close} />
      )}
    </div>
  )
}

interface ActProps {
  action: Schemas['PossibleAction']
  label: string
  onOpen: () => void
}

function Act({ action, label, onOpen }: ActProps) {
  const { away } = useWho()
  const why = away ? 'The service does not answer.' : action.allowed ? undefined : action.why
  const id = `why-${label.replace(/\W/g, '')}`
  return (
    <span class="act">
      <button
        type="button"
        aria-disabled={why !== undefined}
        aria-describedby={why ? id : undefined}
        onClick={() => why === undefined && onOpen()}
      >
        {label}
      </button>
      {why && (
        <span id={id} class="muted why">
          {why}
        </span>
      )}
    </span>
  )
}
