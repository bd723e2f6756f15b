import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { Schemas } from '../api/operations.ts'
import { cache } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Problem, SelectField, TextField } from '../parts/form.tsx'
import { money } from '../parts/money.ts'
import { useAct } from '../parts/use-act.ts'
import { type Alert, isOpen, OUTCOMES, type Outcome, REFUNDS } from './data.ts'

type Report = Schemas['AlertOutcome']
const PROVIDERS = ['Ethoca', 'Verifi RDR', 'Verifi CDRN'] as const satisfies readonly Report['providerName'][]

const CHOICES = [['', 'Choose…'], ...Object.entries(OUTCOMES)] as readonly (readonly [string, string])[]

/** Reports what became of an alert. Most outcomes are final. */
export function OutcomeDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { alertId, amount, currency } = alert
  const [provider, setProvider] = useState<string>(alert.providerName ?? '')
  const [outcome, setOutcome] = useState<string>('')
  const [refunded, setRefunded] = useState<string>('')
  const [comments, setComments] = useState('')
  const final = outcome !== '' && !isOpen({ outcome: outcome as Outcome })

  async function report() {
    const body = {
      ...{ alertId, providerName: provider as Report['providerName'], outcome: outcome as Outcome },
      ...(refunded !== '' && { refunded: refunded as NonNullable<Report['refunded']> }),
      ...(comments.trim() !== '' && { comments: comments.trim() }),
    }
    const run = (key: string) => call('createAlertOutcome', { body, key, merchant })
    if (!(await act({ about: body, run, done: 'The outcome is recorded' }))) return
    await cache.invalidate('listAlerts ')
    onClose()
  }
  return (
    <Confirm
      title={`What became of the alert of ${money(amount, currency)}?`}
      keep="Report nothing yet"
      act={final ? 'Report, for good' : 'Report the outcome'}
      busy={busy}
      blocked={outcome === '' || provider === ''}
      onKeep={onClose}
      onAct={report}
    >
      <div class="form">
        {alert.providerName === undefined && (
          <SelectField
            label="Who raised it"
            value={provider}
            onValue={setProvider}
            options={[['', 'Choose…'], ...PROVIDERS.map((one) => [one, one] as const)]}
          />
        )}
        <SelectField label="Outcome" value={outcome} onValue={setOutcome} options={CHOICES} />
        <SelectField
          label="Refund"
          value={refunded}
          onValue={setRefunded}
          options={[['', 'not said'], ...REFUNDS.map((one) => [one, one] as const)]}
        />
        <TextField
          label="Comments (optional)"
          help="At most 500 characters."
          maxLength={500}
          value={comments}
          onValue={setComments}
        />
        {final && <p>This outcome is final: another one can't be reported later.</p>}
        <Problem text={problem} />
      </div>
    </Confirm>
  )
}
