import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { sentenceOf } from '../api/failure.ts'
import type { Schemas } from '../api/operations.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { When } from '../parts/when.tsx'
import { labelOf } from '../parts/words.ts'
import { LeftOut } from './left-out.tsx'
import { counted } from './package.tsx'

export type Plan = Schemas['EvidencePlan']

/** A dry run: asks what a submission of a file would send. Nothing is sent by it. */
export function usePlan(id: string) {
  const { merchant } = useWho()
  const [plan, setPlan] = useState<Plan>()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function tryOut(fileId: string) {
    setBusy(true)
    setProblem(undefined)
    setPlan(undefined)
    try {
      const key = crypto.randomUUID()
      const { data } = await call('planEvidence', { params: { id }, body: { fileId }, key, merchant })
      setPlan(data)
      announce(data.submittable ? 'It can be submitted' : 'It can’t be submitted')
    } catch (error) {
      setProblem(sentenceOf(error))
    }
    setBusy(false)
  }

  return { plan, problem, busy, tryOut }
}

const STEPS = { upload: 'The file is uploaded', stage: 'The evidence is stored as a draft', submit: 'It is submitted' }

/** What the dry run said. */
export function PlanView({ plan }: { plan: Plan }) {
  const { submittable, reason, requirements, steps, texts } = plan
  return (
    <div class={`notice ${submittable ? 'good' : 'bad'}`}>
      <h3>{submittable ? 'Dry run: it can be submitted' : 'Dry run: it can’t be submitted'}</h3>
      {reason && (
        <p>
          <Foreign text={reason} />
        </p>
      )}
      {steps.length > 0 && (
        <ol class="plain-list">
          {steps.map((step, index) => (
            <li key={`${step.do} ${index}`}>
              {STEPS[step.do]}
              {step.field && ` as ${labelOf(step.field).toLowerCase()}`}
            </li>
          ))}
        </ol>
      )}
      {texts.length > 0 && <p>Texts that go with it: {texts.map(labelOf).join(', ').toLowerCase()}.</p>}
      <LeftOut {...plan} />
      {requirements && (
        <p class="muted">
          {requirements.oneShot
            ? 'One submission is taken, nothing can be added afterwards.'
            : 'Further evidence is taken later.'}{' '}
          {limitsOf(requirements)}{' '}
          {requirements.dueDate && (
            <>
              Due <When at={requirements.dueDate} zoned />.
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** How much the PSP takes, in a sentence. */
export function limitsOf({ maxFiles, maxFileBytes, maxPages }: NonNullable<Plan['requirements']>): string {
  if (maxFiles === 0) return 'No file is taken.'
  const pages = maxPages === undefined ? '' : ` of up to ${maxPages} pages`
  const size = `${Math.floor(maxFileBytes / 100_000) / 10} MB`
  return `At most ${counted(maxFiles, 'file')}${pages}, each up to ${size}.`
}
