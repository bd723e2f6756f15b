import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { money } from '../parts/money.ts'
import { ACCEPTANCE_REQUESTED, type Details, firstOf, readAgain } from './data.ts'
import { followAcceptance } from './follow.ts'
import { useConfirmedAct } from './use-confirmed-act.ts'

interface AcceptProps {
  chargeback: Details
  /** @param notice who was faster, if somebody was */
  onClose: (notice?: string) => void
}

/** Confirms an acceptance. Afterwards the page shows what the API says about the acceptance, whoever requested it. */
export function AcceptDialog({ chargeback, onClose }: AcceptProps) {
  const { me, merchant } = useWho()
  const { id } = chargeback
  const [known, know] = useState(false)

  const { shown, busy, problem, act } = useConfirmedAct(chargeback, async ({ key, now, tag, isRepeated }) => {
    const { allowed = false, code, why } = now.actions?.accept ?? {}
    const exists = code === 'acceptance_exists'
    if (!allowed && !exists) throw new Error(why ?? 'It can’t be accepted any more.')
    if (!exists && now.roiRecommendation === 'Fight' && !known)
      throw new Error('Recoup advises Fight now. Say that you know.')
    const isLate = exists && !isRepeated
    if (!isLate) await call('acceptChargeback', { params: { id }, key, ifMatch: tag, merchant })
    followAcceptance(now, merchant)
    await readAgain(id)
    onClose(await firstOf(ACCEPTANCE_REQUESTED, { id, merchant, me, isLate }))
  })
  const { amount, currency, actions } = shown
  const sum = money(amount, currency)
  // The advice is that of now, unlike what the act is about.
  const { winProbability, roiRecommendation: advice } = chargeback
  const contradicts = advice === 'Fight'

  return (
    <Confirm
      title="Accept this chargeback?"
      keep="Keep it open"
      act={`Accept and lose ${sum}`}
      dangerous
      busy={busy}
      blocked={contradicts && !known}
      onKeep={onClose}
      onAct={act}
    >
      <p>
        You lose <strong>{sum}</strong>. {actions?.accept.consequence}
      </p>
      {contradicts && (
        <label class="check">
          <input type="checkbox" checked={known} onChange={(event) => know(event.currentTarget.checked)} />I know that
          Recoup advises Fight{winProbability !== undefined && ` (${winProbability} %)`}
        </label>
      )}
      <Problem text={problem} />
    </Confirm>
  )
}
