import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { Problem, SelectField } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { type Endpoint, readAgain } from './data.ts'

const HOUR = 3_600_000
const SINCE = [
  ['1', 'the last hour'],
  ['24', 'the last day'],
  ['168', 'the last 7 days'],
  ['720', 'the last 30 days'],
] as const
const WHICH = [
  ['failedSince', 'Those that failed or were cancelled'],
  ['since', 'All, delivered ones too'],
] as const

/** Sends events of a time again, and says how many. */
export function Replay({ endpoint: { id }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const [which, setWhich] = useState<string>('failedSince')
  const [hours, setHours] = useState<string>('24')
  const [count, setCount] = useState<number>()

  async function replay() {
    await act({
      about: [which, hours],
      run: async (key, firstAt) => {
        // 30 days ago is too old a moment later.
        const since = new Date(firstAt - Number(hours) * HOUR + 60_000).toISOString()
        const body = which === 'since' ? { since } : { failedSince: since }
        setCount((await call('replayWebhooks', { params: { id }, body, key, merchant })).count)
      },
    })
    await readAgain()
  }
  if (count !== undefined)
    return (
      <Dialog title={count === 1 ? 'One event is sent again' : `${count} events are sent again`} onClose={onClose}>
        <p>
          {count === 0
            ? 'No event of this time matches, or it waits already.'
            : 'They keep their ids, and come after everything new.'}
        </p>
        <div class="buttons">
          {/* biome-ignore lint/a11y/noAutofocus: in a dialog the harmless button has the focus */}
          <button type="button" autoFocus onClick={onClose}>
            Close
          </button>
        </div>
      </Dialog>
    )
  return (
    <Confirm
      title="Send events again?"
      keep="Send nothing"
      act="Send again"
      busy={busy}
      onKeep={onClose}
      onAct={replay}
    >
      <div class="form">
        <SelectField label="Which" value={which} onValue={setWhich} options={WHICH} />
        <SelectField label="Of" value={hours} onValue={setHours} options={SINCE} />
        <p>A receiver that remembers ids ignores what it has already.</p>
        <Problem text={problem} />
      </div>
    </Confirm>
  )
}
