import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { type DraftResult, loadDraft, storeDraft } from '../../../db/evidence/evidence-drafts.ts'
import { FileKilled } from '../../../files/refusals.ts'
import type { ActivityDeps } from '../deps.ts'
import { tooComplex } from './documents.ts'
import { draftPlan } from './planning.ts'
import { connectIntegration } from './work.ts'

const definite: readonly string[] = DEFINITE_KINDS

/** The dry run of a submission: stores the plan that a submission would fix now, for the waiting client. */
export async function draftEvidencePlan(deps: ActivityDeps, input: { planId: string }): Promise<void> {
  const asked = await loadDraft(deps.db, input.planId)
  if (!asked) return
  await storeDraft(deps.db, input.planId, await answer(deps, asked))
}

async function answer(
  deps: ActivityDeps,
  asked: NonNullable<Awaited<ReturnType<typeof loadDraft>>>,
): Promise<DraftResult> {
  const nothing = { steps: [], texts: [], dropped: [], shortened: [], converted: null }
  try {
    const { connection, psp } = await connectIntegration(deps, asked.integrationId)
    const draft = await draftPlan(deps, { command: asked, connection, psp }, asked.fileId)
    const { requirements } = draft
    if ('refused' in draft)
      return {
        ...nothing,
        refused: { code: 'evidence_refused', reason: draft.refused },
        requirements,
        dropped: draft.dropped,
      }
    const { planned, texts } = draft
    return {
      refused: null,
      requirements,
      steps: [
        ...planned.fields.map((field) => ({ do: 'upload', fileId: asked.fileId, field })),
        ...(planned.staged ? [{ do: 'stage' }] : []),
        { do: 'submit' },
      ],
      texts: Object.keys(texts).sort(),
      dropped: planned.dropped,
      shortened: planned.shortened,
      converted: planned.converted,
    }
  } catch (error) {
    // The client is waiting: respond after the first killed process, unless the machine was too busy to run it.
    if (error instanceof FileKilled && error.reason !== 'starved')
      return { ...nothing, refused: { code: 'evidence_refused', reason: tooComplex(asked.fileId) }, requirements: null }
    // A definite error is the result, because the merchant's engineer can act on it.
    if (!(error instanceof PspError) || !definite.includes(error.kind)) throw error
    return { ...nothing, refused: { code: error.kind, reason: error.message }, requirements: null }
  }
}
