import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { money } from '../parts/money.ts'
import { When } from '../parts/when.tsx'
import { type Details, type Draft, readAgain } from './data.ts'
import { useConfirmedAct } from './use-confirmed-act.ts'

/** What prevents the automatic submission, by the API's names. */
export const BLOCKED: Record<string, string> = {
  policy_manual: 'the policy leaves it to people',
  held: 'it is held',
  not_building: 'no evidence is being built for it',
  command_exists: 'it was answered already, or an answer failed',
  client_file: 'somebody tried out a file of their own',
  no_package: 'the evidence is being built',
  package_stale: 'the evidence is being built again',
  required_missing: 'something is missing that must be sent',
  completeness: 'less is known than the policy asks for',
  contradiction: 'facts contradict each other, or speak against you',
  recommendation_accept: 'the advice is Accept, and nobody decided to fight',
  compliance: 'claims of this kind are answered by a person',
  overdue: 'it is overdue, or has no due date',
  psp_not_answerable: 'the PSP takes no evidence for it now',
  integration_unusable: 'the connection to the PSP does not work',
  answered_elsewhere: 'it is answered through another connection to the same PSP account',
}

/** Whether Recoup may still submit it by itself. */
export const isAutomatic = ({ state, automatic: { policy, blockedBy } }: Pick<Draft, 'state' | 'automatic'>): boolean =>
  policy === 'auto' && state === 'current' && !blockedBy.includes('command_exists')

/** Whether and when Recoup submits by itself, in a sentence. */
export function Automatic({ automatic: { policy, at, blockedBy } }: Pick<Draft, 'automatic'>) {
  if (policy === 'manual') return <>A person submits it: automatic submission is off.</>
  const why = blockedBy.map((code) => BLOCKED[code] ?? code).join('; ')
  if (why !== '') return <>Not submitted automatically: {why}.</>
  return at === undefined ? (
    <>Submitted automatically before it is due.</>
  ) : (
    <>
      Submitted automatically on <When at={at} zoned /> unless held.
    </>
  )
}

interface HoldProps {
  chargeback: Details
  hold: boolean
  onClose: () => void
}

/** Confirms that the automatic submission is held, or released. */
export function HoldDialog({ chargeback, hold, onClose }: HoldProps) {
  const { merchant } = useWho()
  const { id } = chargeback
  const { shown, busy, problem, act } = useConfirmedAct(chargeback, async ({ key }) => {
    await call('holdEvidenceDraft', { params: { id }, body: { automatic: !hold }, key, merchant })
    await readAgain(id)
    announce(hold ? 'Automatic submission is held' : 'Automatic submission is released')
    onClose()
  })
  const sum = money(shown.amount, shown.currency)
  return (
    <Confirm
      title={hold ? 'Hold the automatic submission?' : 'Release the automatic submission?'}
      keep="Leave it as it is"
      act={hold ? 'Hold it' : 'Release it'}
      busy={busy}
      onKeep={onClose}
      onAct={act}
    >
      {hold ? (
        <p>
          Recoup won't submit evidence about <strong>{sum}</strong> by itself. If nobody submits before the due date,
          the dispute is lost. You can release it again.
        </p>
      ) : (
        <p>
          Recoup submits evidence about <strong>{sum}</strong> when its time comes, if nothing prevents it. A submission
          can't be taken back. Until then you can hold it again.
        </p>
      )}
      <Problem text={problem} />
    </Confirm>
  )
}
