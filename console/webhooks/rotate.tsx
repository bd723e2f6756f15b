import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Problem, SelectField } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { type Endpoint, readAgain } from './data.ts'
import { SecretOnce } from './secret-once.tsx'

const OVERLAP = [
  ['86400', 'a day, to change the receiver meanwhile'],
  ['604800', 'seven days'],
  ['3600', 'an hour'],
  ['0', 'not at all: it is known to others'],
] as const

export function Rotate({ endpoint: { id }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const [overlap, setOverlap] = useState<string>('86400')
  const [made, setMade] = useState<{ secret: string; publicKey?: string }>()

  async function rotate() {
    const body = { expireOldAfterSeconds: Number(overlap) }
    await act({
      about: body,
      run: async (key) => setMade(await call('rotateWebhookSecret', { params: { id }, body, key, merchant })),
      done: 'The secret is replaced. The new one is shown once.',
    })
  }
  async function leave() {
    onClose()
    await readAgain()
  }
  if (made) return <SecretOnce secret={made.secret} publicKey={made.publicKey} onStored={leave} />
  return (
    <Confirm
      title="Replace the secret?"
      keep="Keep the old one"
      act="Replace the secret"
      dangerous={overlap === '0'}
      busy={busy}
      onKeep={onClose}
      onAct={rotate}
    >
      <div class="form">
        <SelectField label="The old secret signs for" value={overlap} onValue={setOverlap} options={OVERLAP} />
        <p>
          {overlap === '0'
            ? 'From now on events are signed with the new secret only: a receiver that does not know it refuses them.'
            : 'Until then each event has both signatures. A secret that an earlier replacement kept ends now.'}
        </p>
        <Problem text={problem} />
      </div>
    </Confirm>
  )
}
