import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Problem } from '../parts/form.tsx'
import { money } from '../parts/money.ts'
import { nameOf } from '../parts/words.ts'
import { type Details, firstOf, readAgain, SUBMISSION_REQUESTED } from './data.ts'
import { followSubmission } from './follow.ts'
import { PlanView, usePlan } from './plan.tsx'
import { useConfirmedAct } from './use-confirmed-act.ts'

interface SubmitProps {
  chargeback: Details
  fileId: string
  /** What the file is, such as `evidence v3 (6 pages)`. */
  what: string
  /** @param notice who was faster, if somebody was */
  onClose: (notice?: string) => void
}

/** Confirms a submission, with what the dry run says it would send. */
export function SubmitDialog({ chargeback, fileId, what, onClose }: SubmitProps) {
  const { me, merchant } = useWho()
  const { id } = chargeback
  const [known, know] = useState(false)
  const dry = usePlan(id)
  useEffect(() => void dry.tryOut(fileId), [fileId])

  const { shown, busy, problem, act } = useConfirmedAct(chargeback, async ({ key, now, tag, isRepeated }) => {
    const { allowed = false, code, why } = now.actions?.submit ?? {}
    const exists = code === 'evidence_submission_exists'
    if (!allowed && !exists) throw new Error(why ?? 'It can’t be submitted any more.')
    if (!exists && now.roiRecommendation === 'Accept' && !known)
      throw new Error('Recoup advises Accept now. Say that you know.')
    // The same file again gives the same submission; another one is refused.
    await call('submitEvidence', { params: { id }, body: { fileId }, key, ifMatch: tag, merchant })
    followSubmission(now, merchant)
    await readAgain(id)
    const first = await firstOf(SUBMISSION_REQUESTED, { id, merchant, me, isLate: exists && !isRepeated })
    announce('The submission is requested')
    onClose(first)
  })

  const { amount, currency, actions } = shown
  const psp = nameOf(shown.psp ?? 'the PSP')
  // The advice is that of now, unlike what the act is about.
  const { winProbability, roiRecommendation: advice } = chargeback
  const contradicts = advice === 'Accept'
  const once = dry.plan?.requirements?.oneShot
  const consequence = once
    ? `${psp} takes evidence once: nothing can be added afterwards.`
    : actions?.submit.consequence
  return (
    <Confirm
      title={`Submit ${what}?`}
      keep="Not yet"
      act={`Submit to ${psp}`}
      busy={busy}
      blocked={dry.busy || dry.plan?.submittable === false || (contradicts && !known)}
      onKeep={onClose}
      onAct={act}
    >
      <p>
        It answers the dispute about <strong>{money(amount, currency)}</strong>. It can't be taken back. {consequence}
      </p>
      {dry.busy && <p role="status">Asking {psp} what it takes…</p>}
      {dry.problem && (
        <p class="warn" role="alert">
          {psp} could not be asked what it takes now: {dry.problem} You can submit nevertheless; what does not fit is
          left out, and you will see it here.
        </p>
      )}
      {dry.plan && <PlanView plan={dry.plan} />}
      {contradicts && (
        <label class="check">
          <input type="checkbox" checked={known} onChange={(event) => know(event.currentTarget.checked)} />I know that
          Recoup advises Accept{winProbability !== undefined && ` (${winProbability} %)`}
        </label>
      )}
      <Problem text={problem} />
    </Confirm>
  )
}
