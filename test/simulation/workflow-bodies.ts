import type { Activities } from '../../workflows/activities/index.ts'
import {
  type AcceptChargebackInput,
  type ReevaluateScopeInput,
  type SubmitEvidenceInput,
  WORKFLOWS,
} from '../../workflows/contract.ts'

/** An activity that a workflow run waits for. */
export interface Step {
  activity: keyof Activities
  input: object
  /** End of its attempts, ms; null = for ever. */
  until: number | null
  /** Time-out of one attempt, ms. */
  attemptMs: number
}

/** Failure of an activity, as its workflow sees it: a definite refusal, or an unknown outcome. */
export class StepFailed extends Error {
  readonly refusal: { kind: string; message: string } | null

  constructor(refusal: StepFailed['refusal']) {
    super(refusal?.message ?? 'the outcome is not known yet')
    this.refusal = refusal
  }
}

type Body = Generator<Step, void, unknown>

/**
 * Copies the order of activities from workflows/*.ts. Tests on Temporal check the real workflows and their replay
 * (test/replay, test/integration/workflows).
 */
export function bodyOf(workflow: string, input: never, due: Map<string, number>): Body {
  if (workflow === WORKFLOWS.acceptChargeback) return accept(input)
  if (workflow === WORKFLOWS.submitEvidence) return submit(input)
  if (workflow === WORKFLOWS.reevaluateScope) return reevaluate(input, due)
  throw new Error(`the simulation has no body of ${workflow}`)
}

const RECORD_MS = 15_000
const UPLOAD_MS = 15 * 60_000

function* accept({ acceptanceId, deadline, pace }: AcceptChargebackInput): Body {
  yield* command(acceptanceId, function* () {
    yield { activity: 'acceptAtPsp', input: { acceptanceId }, until: Date.parse(deadline), attemptMs: pace.commandMs }
    yield record('recordAcceptance', { acceptanceId })
  })
}

function* submit({ submitEvidenceId, deadline, pace }: SubmitEvidenceInput): Body {
  const step = (activity: Step['activity'], more: object = {}, attemptMs = pace.commandMs): Step => ({
    ...{ activity, input: { submitEvidenceId, ...more }, until: Date.parse(deadline), attemptMs },
  })
  yield* command(submitEvidenceId, function* () {
    const plan = (yield step('planEvidence')) as { uploads: number; staged: boolean }
    for (let number = 0; number < plan.uploads; number++) yield step('uploadFile', { step: number }, UPLOAD_MS)
    if (plan.staged) yield step('stageAtPsp')
    yield step('submitAtPsp')
    yield record('recordSubmission', { submitEvidenceId })
  })
}

function* command(commandId: string, steps: () => Body): Body {
  try {
    yield* steps()
  } catch (error) {
    const refusal = error instanceof StepFailed ? error.refusal : null
    if (refusal) yield record('recordRefusal', { commandId, ...refusal })
    else yield record('flagForOperators', { commandId, reason: 'the outcome is not known yet' })
    throw error
  }
}

function* reevaluate(input: ReevaluateScopeInput, due: Map<string, number>): Body {
  for (const [integrationId, asked] of input.due) due.set(integrationId, asked)
  for (let next = due.entries().next().value; next; next = due.entries().next().value) {
    const [integrationId, asked] = next
    let after: string | null = null
    do {
      const slice = (yield record('reevaluateSlice', { integrationId, asked, after })) as { next: string | null }
      after = slice.next
    } while (after !== null && due.get(integrationId) === asked)
    if (after === null && due.get(integrationId) === asked) due.delete(integrationId)
  }
}

const record = (activity: Step['activity'], input: object): Step => ({
  ...{ activity, input, until: null, attemptMs: RECORD_MS },
})
