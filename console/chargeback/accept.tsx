import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { CallFailure } from '../api/failure.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { money } from '../parts/money.ts'
import { changedSince, type Details, EXPAND, readAgain } from './data.ts'

interface AcceptProps {
  chargeback: Details
  onClose: () => void
}

/**
 * Confirms an acceptance. One idempotency key for each opening, kept when an answer is lost. The chargeback is read
 * again first; afterwards the page shows what the API says about the acceptance, whoever requested it.
 */
export function AcceptDialog({ chargeback, onClose }: AcceptProps) {
  const { merchant } = useWho()
  const { id, amount, currency, winProbability, roiRecommendation: advice } = chargeback
  const [key] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [known, know] = useState(false)
  const [problem, setProblem] = useState<string>()
  const sum = money(amount, currency)
  const contradicts = advice === 'Fight'

  async function accept() {
    setBusy(true)
    setProblem(undefined)
    try {
      const { data } = await call('readChargeback', { params: { id }, query: { expand: EXPAND }, merchant })
      const changed = changedSince(chargeback, data)
      if (changed.length > 0) return stop(`It changed meanwhile: ${changed.join(', ')}. Close this and look again.`)
      // After a lost answer the first request may have arrived: the same key tells.
      if (data.actions?.accept.allowed === false && data.actions.accept.code !== 'acceptance_exists')
        return stop(data.actions.accept.why ?? 'It can’t be accepted any more.')
      await call('acceptChargeback', { params: { id }, key, merchant })
      await readAgain(id)
      onClose()
    } catch (error) {
      const lost = error instanceof CallFailure && error.status === 0
      stop(
        lost
          ? 'The service did not answer, so the acceptance may have been requested. Trying again requests it once only.'
          : (error as Error).message,
      )
    }
  }

  function stop(words: string) {
    setProblem(words)
    setBusy(false)
    announce(words, { urgent: true })
  }

  return (
    <Confirm
      title="Accept this chargeback?"
      keep="Keep it open"
      act={`Accept and lose ${sum}`}
      dangerous
      busy={busy}
      blocked={contradicts && !known}
      onKeep={onClose}
      onAct={accept}
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
