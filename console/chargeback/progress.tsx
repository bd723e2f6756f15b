import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { serverNow } from '../api/connection.ts'
import type { Schemas } from '../api/operations.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { Failed } from '../parts/states.tsx'
import { When } from '../parts/when.tsx'
import { readAgain } from './data.ts'
import { LeftOut } from './left-out.tsx'
import { usePacedRead } from './use-paced-read.ts'

type Status = Schemas['AcceptanceStatus']['status']

const LATE_MS = 24 * 3_600_000
const isOpen = (status: Status | undefined) => status === 'created' || status === 'inProgress'

interface ProgressProps {
  id: string
  psp: string
  /** Who requested it; empty when nobody knows. */
  by: string
}

/** How far an acceptance is, from the API alone: nothing is shown as done before it says so. */
export function AcceptanceProgress({ id, psp, by }: ProgressProps) {
  const { merchant } = useWho()
  const {
    data: acceptance,
    failure,
    again,
  } = usePacedRead('readAcceptance', { params: { id }, merchant }, ({ status }) => !isOpen(status))
  useOutcome(id, acceptance?.status, { succeeded: 'Accepted, confirmed by the PSP', failed: 'The acceptance failed' })
  if (!acceptance) return failure ? <Failed failure={failure} again={again} /> : null
  const { status, acceptedAt, error } = acceptance
  return <Progress name="Acceptance" outcome="Accepted" {...{ psp, by, status, at: acceptedAt, error }} />
}

/** How far the latest evidence submission is; earlier ones are in the timeline. */
export function SubmissionProgress({ id, psp, by }: ProgressProps) {
  const { merchant } = useWho()
  const {
    data: list,
    failure,
    again,
  } = usePacedRead('listEvidenceSubmissions', { params: { id }, merchant }, ({ data }) => !isOpen(data[0]?.status))
  const [latest] = list?.data ?? []
  useOutcome(id, latest?.status, {
    succeeded: 'Evidence submitted, confirmed by the PSP',
    failed: 'The evidence submission failed',
  })
  if (!latest) return failure ? <Failed failure={failure} again={again} /> : null
  const { status, submittedAt, error } = latest
  return (
    <Progress name="Evidence submission" outcome="Submitted" {...{ psp, by, status, at: submittedAt, error }}>
      <LeftOut {...latest} />
    </Progress>
  )
}

/** Says the outcome to people who don't see the page, and reads what depends on it. */
function useOutcome(id: string, status: Status | undefined, words: { succeeded: string; failed: string }) {
  useEffect(() => {
    if (status === 'succeeded') announce(words.succeeded)
    if (status === 'failed') announce(words.failed, { urgent: true })
    if (status !== undefined && !isOpen(status)) void readAgain(id)
  }, [status, id])
}

interface StepsProps {
  name: string
  /** What it is once the PSP has confirmed. */
  outcome: string
  psp: string
  by: string
  status: Status
  /** Of the request; once it succeeded, of the completion. */
  at: string
  error: string | undefined
  children?: ComponentChildren
}

function Progress({ name, outcome, psp, by, status, at, error, children }: StepsProps) {
  if (status === 'failed')
    return (
      <section class="notice bad" aria-label={name}>
        <h2>The {name.toLowerCase()} failed</h2>
        <p>{error && <Foreign text={error} />}</p>
      </section>
    )
  const late = isOpen(status) && serverNow() - Date.parse(at) > LATE_MS
  const step = status === 'created' ? 0 : status === 'inProgress' ? 1 : 2
  return (
    <section class={`notice ${step === 2 ? 'good' : 'warn'}`} aria-label={name}>
      <ol class="steps">
        <li class="done">
          Requested
          {by && (
            <>
              {' '}
              by <Foreign text={by} />
            </>
          )}
        </li>
        <li class={step >= 1 ? 'done' : ''} aria-current={step === 1 ? 'step' : undefined}>
          At {psp}
        </li>
        <li class={step === 2 ? 'done' : ''}>
          {step === 2 ? (
            <>
              {outcome}, confirmed by {psp} <When at={at} />
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
      {children}
    </section>
  )
}
