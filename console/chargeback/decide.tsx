import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { type Details, readAgain } from './data.ts'

interface DecideProps {
  chargeback: Details
  fight: boolean
  onClose: () => void
}

/** Confirms the decision whether to fight, which can be changed later. */
export function DecideDialog({ chargeback, fight, onClose }: DecideProps) {
  const { merchant } = useWho()
  const { id } = chargeback
  const [key] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function decide() {
    setBusy(true)
    setProblem(undefined)
    try {
      await call('decideShouldFight', { params: { id }, body: { shouldFight: fight }, key, merchant })
      await readAgain(id)
      announce(fight ? 'Recoup fights this chargeback' : 'Recoup does not fight this chargeback')
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
      setBusy(false)
      announce((error as Error).message, { urgent: true })
    }
  }

  return (
    <Confirm
      title={fight ? 'Fight this chargeback?' : 'Not fight this chargeback?'}
      keep="Leave it as it is"
      act={fight ? 'Fight' : "Don't fight"}
      busy={busy}
      onKeep={onClose}
      onAct={decide}
    >
      <p>{chargeback.actions?.decide.consequence}</p>
      {!fight && <p>Not to fight does not accept it: the dispute stays open until its due date.</p>}
      {problem && <p class="bad">{problem}</p>}
    </Confirm>
  )
}
