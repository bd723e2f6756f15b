import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { serverNow } from '../api/connection.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Problem, SelectField, TextField } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { type Integration, readAgain } from './data.ts'

const TYPES = [
  ['postingDate', 'are posted on or after the date'],
  ['dueDate', 'are due on or after the date'],
] as const

/** Asks from when on chargebacks are not handled. Until the date has come it can be moved; then it is final. */
export function Deactivate({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { integrationId: id, details } = integration
  const [type, setType] = useState<string>(details?.deactivation?.type ?? 'postingDate')
  const [date, setDate] = useState(details?.deactivation?.date.slice(0, 10) ?? '')
  const isDate = /^\d{4}-\d\d-\d\d$/.test(date)
  const today = new Date(serverNow()).toISOString().slice(0, 10)
  const atOnce = isDate && date <= today

  async function deactivate() {
    const body = { deactivationType: type as 'postingDate', deactivationDate: `${date}T00:00:00Z` }
    const run = (key: string) => call('deactivateIntegration', { params: { id }, body, key, merchant })
    if (!(await act({ about: body, run, done: 'The date is stored' }))) return
    await readAgain()
    onClose()
  }
  return (
    <Confirm
      title="Deactivate this integration?"
      keep="Keep it active"
      act={atOnce ? 'Deactivate now, for good' : 'Deactivate on this date'}
      dangerous
      busy={busy}
      blocked={!isDate}
      onKeep={onClose}
      onAct={deactivate}
    >
      <div class="form">
        <SelectField label="Not handled are chargebacks that" value={type} onValue={setType} options={TYPES} />
        <TextField label="Date" help="Midnight UTC." type="date" value={date} onValue={setDate} />
        <p>
          They stay readable. On the date the polls end and the status becomes INACTIVE, which is final: to go on, the
          account is connected again. Until then the date can be moved.
        </p>
        {atOnce && <p class="bad">This date has come: the integration becomes INACTIVE at once.</p>}
        <Problem text={problem} />
      </div>
    </Confirm>
  )
}
