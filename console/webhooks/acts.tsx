import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { cache } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { useWho } from '../app/who.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { Change } from './change.tsx'
import { type Endpoint, readAgain, WEBHOOKS } from './data.ts'
import { Replay } from './replay.tsx'
import { Rotate } from './rotate.tsx'

type Opened = 'replay' | 'rotate' | 'change' | 'disable' | 'delete' | null

export function Acts({ endpoint, suffix }: { endpoint: Endpoint; suffix: string }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const [opened, open] = useState<Opened>(null)
  const { id, state } = endpoint
  const disabled = state === 'disabled'
  const close = () => open(null)

  async function test() {
    const run = (key: string) => call('testWebhookEndpoint', { params: { id }, key, merchant })
    if (await act({ about: 'test', run, done: 'A test is sent: it is the first of the deliveries' })) await readAgain()
  }
  async function enable() {
    const run = (key: string) =>
      call('updateWebhookEndpoint', { params: { id }, body: { enabled: true }, key, merchant })
    if (await act({ about: 'enable', run, done: 'The endpoint is enabled' })) await readAgain()
  }
  return (
    <>
      <div class="acts bar">
        <ActButton busy={busy} onAct={test}>
          Send a test
        </ActButton>
        <ActButton why={disabled ? 'Enable it first.' : undefined} onAct={() => open('replay')}>
          Send events again…
        </ActButton>
        <ActButton onAct={() => open('rotate')}>Replace the secret…</ActButton>
        <ActButton onAct={() => open('change')}>Change…</ActButton>
        {disabled ? (
          <ActButton busy={busy} kind="primary" onAct={enable}>
            Enable
          </ActButton>
        ) : (
          <ActButton onAct={() => open('disable')}>Disable…</ActButton>
        )}
        <ActButton onAct={() => open('delete')}>Delete…</ActButton>
      </div>
      <Problem text={problem} />
      {opened === 'replay' && <Replay endpoint={endpoint} onClose={close} />}
      {opened === 'rotate' && <Rotate endpoint={endpoint} onClose={close} />}
      {opened === 'change' && <Change endpoint={endpoint} onClose={close} />}
      {opened === 'disable' && <Disable endpoint={endpoint} onClose={close} />}
      {opened === 'delete' && <Delete endpoint={endpoint} suffix={suffix} onClose={close} />}
    </>
  )
}

function Disable({ endpoint: { id, pending }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  async function disable() {
    const run = (key: string) =>
      call('updateWebhookEndpoint', { params: { id }, body: { enabled: false }, key, merchant })
    if (!(await act({ run, done: 'The endpoint is disabled' }))) return
    await readAgain()
    onClose()
  }
  return (
    <Confirm
      title="Disable this endpoint?"
      keep="Keep it enabled"
      act="Disable"
      dangerous
      busy={busy}
      onKeep={onClose}
      onAct={disable}
    >
      <p>
        Nothing is sent until somebody enables it. {pending > 0 && `${pending} waiting events are cancelled. `}
        What happens meanwhile is sent later only if somebody asks for it: Send events again.
      </p>
      <Problem text={problem} />
    </Confirm>
  )
}

interface DeleteProps {
  endpoint: Endpoint
  suffix: string
  onClose: () => void
}

function Delete({ endpoint: { id, pending, url }, suffix, onClose }: DeleteProps) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  async function remove() {
    const run = (key: string) => call('deleteWebhookEndpoint', { params: { id }, key, merchant })
    if (!(await act({ run, done: 'The endpoint is deleted' }))) return
    for (const read of ['readWebhookEndpoint', 'listWebhookDeliveries'])
      cache.forget(`${read} ${JSON.stringify({ id })}`)
    navigate(`${WEBHOOKS}${suffix}`)
    await cache.invalidate('listWebhookEndpoints ')
  }
  return (
    <Confirm
      title="Delete this endpoint?"
      keep="Keep it"
      act="Delete the endpoint"
      dangerous
      busy={busy}
      onKeep={onClose}
      onAct={remove}
    >
      <p>
        Nothing more is sent to {new URL(url).host}, and its secret is erased: this can't be undone.{' '}
        {pending > 0 && `${pending} waiting events are not sent.`}
      </p>
      <Problem text={problem} />
    </Confirm>
  )
}
