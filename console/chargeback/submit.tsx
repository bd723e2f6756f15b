import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { money } from '../parts/money.ts'
import { nameOf } from '../parts/words.ts'
import { type Details, firstOf, readAgain, SUBMISSION_REQUESTED } from './data.ts'
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
  const { id, amount, currency, winProbability, roiRecommendation: advice } = chargeback
  const psp = nameOf(chargeback.psp ?? 'the PSP')
  const [known, know] = useState(false)
  const dry = usePlan(id)
  useEffect(() => void dry.tryOut(fileId), [fileId])
  const contradicts = advice === 'Accept'

  const { busy, problem, act } = useConfirmedAct(chargeback, async ({ key, now, tag, isRepeated }) => {
    const { allowed = false, code, why } = now.actions?.submit ?? {}
    const exists = code === 'evidence_submission_exists'
    if (!allowed && !exists) throw new Error(why ?? 'It can’t be submitted any more.')
    // The same file again gives the same submission; another one is refused.
    await call('submitEvidence', { params: { id }, body: { fileId }, key, ifMatch: tag, merchant })
    await readAgain(id)
    announce('The submission is requested')
    onClose(await firstOf(SUBMISSION_REQUESTED, { id, merchant, me, isLate: exists && !isRepeated }))
  })

  const once = dry.plan?.requirements?.oneShot
  const consequence = once
    ? `${psp} takes evidence once: nothing can be added afterwards.`
    : chargeback.actions?.submit.consequence
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
        <p class="warn">
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
      {problem && <p class="bad">{problem}</p>}
    </Confirm>
  )
}
