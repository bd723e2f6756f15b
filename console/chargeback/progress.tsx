import { useEffect, useState } from 'preact/hooks'
import type { Schemas } from '../api/operations.ts'
import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { When } from '../parts/when.tsx'
import { readAgain } from './data.ts'

type Acceptance = Schemas['AcceptanceStatus']

/** Times between reads while the PSP has not confirmed, ms; the last one goes on. */
const WAITS_MS = [1_000, 1_000, 2_000, 5_000, 10_000, 30_000]
const LATE_MS = 24 * 3_600_000

const isOpen = (status: Acceptance['status'] | undefined) => status === 'created' || status === 'inProgress'

/** How far an acceptance is, from the API alone: nothing is shown as done before it says so. */
export function AcceptanceProgress({ id, psp, by }: { id: string; psp: string; by: string | undefined }) {
  const { merchant } = useWho()
  const [reads, countReads] = useState(0)
  const [everyMs, setEveryMs] = useState<number | undefined>(WAITS_MS[0])
  const { data: acceptance, failure, at } = useRead('readAcceptance', { params: { id }, merchant }, everyMs)
  const status = acceptance?.status
  const done = status !== undefined && !isOpen(status)
  useEffect(() => countReads((count) => count + 1), [at])
  useEffect(() => setEveryMs(done ? undefined : WAITS_MS[Math.min(reads, WAITS_MS.length - 1)]), [reads, done])
  useEffect(() => {
    if (status === 'succeeded') announce('Accepted, confirmed by the PSP')
    if (status === 'failed') announce('The acceptance failed', { urgent: true })
    if (done) void readAgain(id)
  }, [status, done, id])
  if (!acceptance) return failure ? <p class="notice warn">{failure.message}</p> : null

  if (status === 'failed')
    return (
      <div class="notice bad">
        <h2>The acceptance failed</h2>
        <p>{acceptance.error}</p>
      </div>
    )
  const late = isOpen(status) && Date.now() - Date.parse(acceptance.acceptedAt) > LATE_MS
  const step = status === 'created' ? 0 : status === 'inProgress' ? 1 : 2
  return (
    <section class={`notice ${step === 2 ? 'good' : 'warn'}`} aria-label="Acceptance">
      <ol class="steps">
        <li class={step >= 0 ? 'done' : ''}>Requested{by && ` by ${by}`}</li>
        <li class={step >= 1 ? 'done' : ''} aria-current={step === 1 ? 'step' : undefined}>
          At {psp}
        </li>
        <li class={step === 2 ? 'done' : ''}>
          {step === 2 ? (
            <>
              Accepted, confirmed by {psp} <When at={acceptance.acceptedAt} />
            </>
          ) : (
            'Confirmed'
          )}
        </li>
      </ol>
      {late && (
        <p>
          {psp} hasn't confirmed for 24 hours. Don't act at the PSP: operators were told and find out what happened.
        </p>
      )}
    </section>
  )
}
