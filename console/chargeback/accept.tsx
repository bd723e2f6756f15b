import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { money } from '../parts/money.ts'
import { ACCEPTANCE_REQUESTED, type Details, firstOf, readAgain } from './data.ts'
import { useConfirmedAct } from './use-confirmed-act.ts'

interface AcceptProps {
  chargeback: Details
  /** @param notice who was faster, if somebody was */
  onClose: (notice?: string) => void
}

/** Confirms an acceptance. Afterwards the page shows what the API says about the acceptance, whoever requested it. */
export function AcceptDialog({ chargeback, onClose }: AcceptProps) {
  const { me, merchant } = useWho()
  const { id, amount, currency, winProbability, roiRecommendation: advice } = chargeback
  const [known, know] = useState(false)
  const sum = money(amount, currency)
  const contradicts = advice === 'Fight'

  const { busy, problem, act } = useConfirmedAct(chargeback, async ({ key, now, tag, isRepeated }) => {
    const { allowed = false, code, why } = now.actions?.accept ?? {}
    const exists = code === 'acceptance_exists'
    if (!allowed && !exists) throw new Error(why ?? 'It can’t be accepted any more.')
    const isLate = exists && !isRepeated
    if (!isLate) await call('acceptChargeback', { params: { id }, key, ifMatch: tag, merchant })
    await readAgain(id)
    onClose(await firstOf(ACCEPTANCE_REQUESTED, { id, merchant, me, isLate }))
  })

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
        You lose <strong>{sum}</strong>. {chargeback.actions?.accept.consequence}
      </p>
      {contradicts && (
        <label class="check">
          <input type="checkbox" checked={known} onChange={(event) => know(event.currentTarget.checked)} />I know that
          Recoup advises Fight{winProbability !== undefined && ` (${winProbability} %)`}
        </label>
      )}
      {problem && <p class="bad">{problem}</p>}
    </Confirm>
  )
}
