import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { type Integration, readAgain } from './data.ts'
import { Deactivate } from './deactivate.tsx'
import { PollNow } from './poll-now.tsx'
import { Rename } from './rename.tsx'
import { ReplaceKey } from './replace-key.tsx'

type Opened = 'key' | 'rename' | 'pause' | 'deactivate' | null

/** What may be done with an integration that is not deactivated. */
export function Acts({ integration }: { integration: Integration }) {
  const [opened, open] = useState<Opened>(null)
  const { status, details } = integration
  if (status === 'INACTIVE') return null
  const close = () => open(null)
  return (
    <div class="acts bar">
      <PollNow integration={integration} />
      <ActButton {...(status === 'FAILED' && { kind: 'primary' })} onAct={() => open('key')}>
        Replace the key…
      </ActButton>
      <ActButton onAct={() => open('rename')}>Rename…</ActButton>
      <PauseButton integration={integration} onPause={() => open('pause')} />
      <ActButton onAct={() => open('deactivate')}>{details?.deactivation ? 'Move the end…' : 'Deactivate…'}</ActButton>
      {opened === 'key' && <ReplaceKey integration={integration} onClose={close} />}
      {opened === 'rename' && <Rename integration={integration} onClose={close} />}
      {opened === 'pause' && <Pause integration={integration} onClose={close} />}
      {opened === 'deactivate' && <Deactivate integration={integration} onClose={close} />}
    </div>
  )
}

function PauseButton({ integration, onPause }: { integration: Integration; onPause: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { integrationId: id, details } = integration
  if (!details?.paused) return <ActButton onAct={onPause}>Pause polls…</ActButton>

  async function resume() {
    const run = (key: string) => call('resumeIntegration', { params: { id }, key, merchant })
    if (await act({ run, done: 'The polls go on' })) await readAgain()
  }
  return (
    <>
      <ActButton
        busy={busy}
        why={details.pausedBy === 'operator' ? 'The operator paused them, and resumes them.' : undefined}
        onAct={resume}
      >
        Resume polls
      </ActButton>
      <Problem text={problem} />
    </>
  )
}

function Pause({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { integrationId: id, source } = integration

  async function pause() {
    const run = (key: string) => call('pauseIntegration', { params: { id }, key, merchant })
    if (!(await act({ run, done: 'The polls are paused' }))) return
    await readAgain()
    onClose()
  }
  return (
    <Confirm
      title="Pause the polls?"
      keep="Keep polling"
      act="Pause polls"
      dangerous
      busy={busy}
      onKeep={onClose}
      onAct={pause}
    >
      <p>
        Recoup asks {source} for no disputes until somebody resumes. A dispute that arrives meanwhile is not seen, and
        its due date may pass.
      </p>
      <p>What is requested already goes on: acceptances, submissions, deadlines.</p>
      <Problem text={problem} />
    </Confirm>
  )
}
