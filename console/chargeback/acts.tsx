import { useId, useState } from 'preact/hooks'
import type { Schemas } from '../api/operations.ts'
import { mayWork, useWho } from '../app/who.ts'
import { AcceptDialog } from './accept.tsx'
import type { Assessed, Details } from './data.ts'
import { DecideDialog } from './decide.tsx'

type Opened = 'accept' | 'fight' | 'no-fight' | null

interface ActsProps {
  chargeback: Details
  assessment: Assessed | undefined
  /** Shows the evidence, where it can be submitted; absent while it is shown. */
  onReview: (() => void) | undefined
}

/** What the person may do. Without permission it is absent; impossible now, it says why. */
export function Acts({ chargeback, assessment, onReview }: ActsProps) {
  const { me } = useWho()
  const [opened, open] = useState<Opened>(null)
  const [notice, setNotice] = useState<string>()
  const { actions } = chargeback
  if (!mayWork(me) || !actions) return null
  const inScope = assessment?.scope.inScope
  const close = (words?: string) => {
    open(null)
    setNotice(words)
  }
  const acts: Offered[] = [
    ...(onReview ? [{ action: actions.submit, label: 'Review and submit…', onOpen: onReview }] : []),
    ...(inScope === false ? [{ action: actions.decide, label: 'Fight…', onOpen: () => open('fight') }] : []),
    ...(inScope === true ? [{ action: actions.decide, label: "Don't fight…", onOpen: () => open('no-fight') }] : []),
    { action: actions.accept, label: 'Accept…', onOpen: () => open('accept') },
  ]
  return (
    <div class="acts-side">
      <ActRow acts={acts} />
      {notice && (
        <p class="notice warn" role="status">
          {notice}
        </p>
      )}
      {opened === 'accept' && <AcceptDialog chargeback={chargeback} onClose={close} />}
      {(opened === 'fight' || opened === 'no-fight') && (
        <DecideDialog chargeback={chargeback} fight={opened === 'fight'} onClose={() => close()} />
      )}
    </div>
  )
}

export interface Offered {
  action: Pick<Schemas['PossibleAction'], 'allowed' | 'why'>
  label: string
  primary?: boolean
  onOpen: () => void
}

/** Buttons in a row; below them, once for all that share it, why they don't act now. */
export function ActRow({ acts }: { acts: readonly Offered[] }) {
  const { away } = useWho()
  const row = useId()
  const whyOf = ({ action }: Offered) =>
    away ? 'The service does not answer.' : action.allowed ? '' : (action.why ?? '')
  const whys = [...new Set(acts.map(whyOf))].filter((why) => why !== '')
  const idOf = (why: string) => `${row}-${whys.indexOf(why)}`
  return (
    <div class="acts">
      {acts.map((act) => {
        const why = whyOf(act)
        const blocked = away || !act.action.allowed
        return (
          <button
            key={act.label}
            type="button"
            class={act.primary ? 'primary' : undefined}
            aria-disabled={blocked}
            aria-describedby={why === '' ? undefined : idOf(why)}
            onClick={() => !blocked && act.onOpen()}
          >
            {act.label}
          </button>
        )
      })}
      {whys.map((why) => (
        <p key={why} id={idOf(why)} class="muted why">
          {whys.length > 1 &&
            `${acts
              .filter((act) => whyOf(act) === why)
              .map(({ label }) => label.replace('…', ''))
              .join(', ')}: `}
          {why}
        </p>
      ))}
    </div>
  )
}
