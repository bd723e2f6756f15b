import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { serverNow } from '../api/connection.ts'
import { useWho } from '../app/who.ts'
import { ActButton } from '../parts/act-button.tsx'
import { announce } from '../parts/announce.tsx'
import { Problem } from '../parts/form.tsx'
import { useAct } from '../parts/use-act.ts'
import { useRepeat } from '../parts/use-repeat.ts'
import { type Integration, readAgain } from './data.ts'

/** A worker may be busy: after this time the page says so, ms. */
const LATE_MS = 60_000

/** Requests a poll, or another check of the credential, and waits until the API shows that it is over. */
export function PollNow({ integration }: { integration: Integration }) {
  const { merchant } = useWho()
  const { act, busy, problem } = useAct()
  const { integrationId: id, integrationName, status, lastPolledAt, details } = integration
  const [before, setBefore] = useState<{ lastPolledAt: string | undefined; at: number }>()
  const checks = status === 'PENDING' || status === 'FAILED'
  const waiting = before !== undefined && before.lastPolledAt === lastPolledAt && !checks
  const late = waiting && serverNow() - before.at > LATE_MS
  useRepeat('listIntegrations ', waiting && !late)
  useRepeat('readIntegration ', waiting && !late)
  useEffect(() => {
    if (before && !waiting && !checks) announce(`${integrationName} was polled`)
  }, [waiting])

  async function poll() {
    const asked = { lastPolledAt, at: serverNow() }
    const done = checks ? 'The credential is checked again' : 'A poll is requested'
    const run = (key: string) => call('pollIntegration', { params: { id }, key, merchant })
    if (!(await act({ run, done }))) return
    setBefore(asked)
    await readAgain()
  }

  const word = checks ? 'Check the key again' : 'Poll now'
  return (
    <>
      <ActButton
        label={`${word}: ${integrationName}`}
        busy={busy || (waiting && !late)}
        why={details?.paused ? 'Its polls are paused.' : undefined}
        onAct={poll}
      >
        {waiting && !late ? 'Polling…' : word}
      </ActButton>
      {late && <p class="warn">No poll ended within a minute. It is still requested; look again later.</p>}
      <Problem text={problem} />
    </>
  )
}
