import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { money } from '../parts/money.ts'
import { type Details, readAgain } from './data.ts'
import { useConfirmedAct } from './use-confirmed-act.ts'

interface DecideProps {
  chargeback: Details
  fight: boolean
  onClose: () => void
}

/** Confirms the decision whether to fight, which can be changed later. */
export function DecideDialog({ chargeback, fight, onClose }: DecideProps) {
  const { merchant } = useWho()
  const { id } = chargeback
  const { shown, busy, problem, act } = useConfirmedAct(chargeback, async ({ key, tag }) => {
    await call('decideShouldFight', { params: { id }, body: { shouldFight: fight }, key, ifMatch: tag, merchant })
    await readAgain(id)
    announce(fight ? 'Recoup fights this chargeback' : 'Recoup does not fight this chargeback')
    onClose()
  })
  const { amount, currency, actions } = shown

  return (
    <Confirm
      title={fight ? 'Fight this chargeback?' : 'Not fight this chargeback?'}
      keep="Leave it as it is"
      act={fight ? 'Fight' : "Don't fight"}
      busy={busy}
      onKeep={onClose}
      onAct={act}
    >
      <p>
        It is about <strong>{money(amount, currency)}</strong>. {actions?.decide.consequence}
      </p>
      {!fight && <p>Not to fight does not accept it: the dispute stays open until its due date.</p>}
      <Problem text={problem} />
    </Confirm>
  )
}
