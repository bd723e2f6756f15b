import { createHash } from 'node:crypto'
import { ApplicationFailure } from '@temporalio/common'
import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import { disputedPurchase, earlierPurchases, loadChargebackData } from '../../../db/chargebacks/chargeback-data.ts'
import { loadPlan, storePlan } from '../../../db/evidence/evidence-plans.ts'
import { reviewedContent } from '../../../db/packages/freezing.ts'
import type { CompellingEvidenceInput } from '../../../domain/assessment/compelling-evidence.ts'
import type { CardScheme } from '../../../domain/chargeback.ts'
import type { DataPoints } from '../../../domain/data-points.ts'
import { evidenceTexts } from '../../../domain/evidence/evidence-texts.ts'
import {
  cleanPurchases,
  type FrozenPurchases,
  frozenPurchases,
} from '../../../domain/evidence/package/frozen-purchases.ts'
import type { PlannedSubmission } from '../../../domain/evidence/submission.ts'
import { cleanTexts } from '../../../domain/evidence/texts/clean-texts.ts'
import type { ActivityDeps } from '../deps.ts'
import { evidenceFile, type Fitted, fitDocument, sha256Of } from './documents.ts'
import { tryStoreReading } from './reading.ts'
import { connectWork, unfinishedCommand, type Work } from './work.ts'

/** The part of a plan that the workflow needs. */
export interface PlanSummary {
  /** Number of document uploads before staging or submitting. */
  uploads: number
  staged: boolean
}

/** The submission may have reached the PSP: skip the preparation; the next step reads. */
const SENT: PlanSummary = { uploads: 0, staged: false }

export type Draft =
  | { refused: string; requirements: EvidenceRequirements; dropped: SubmissionPlan['dropped'] }
  | { requirements: EvidenceRequirements; planned: PlannedSubmission; texts: Record<string, string> }

/**
 * Reads the PSP's requirements for this dispute and fixes the plan before anything is sent. Later attempts use that
 * plan.
 */
export async function planEvidence(deps: ActivityDeps, input: { submitEvidenceId: string }): Promise<PlanSummary> {
  const { submitEvidenceId } = input
  const command = await unfinishedCommand(deps, submitEvidenceId)
  const stored = await loadPlan(deps.db, deps.ring, submitEvidenceId)
  if (!command || stored?.sent) return SENT
  if (!stored) throw ApplicationFailure.nonRetryable('there is no such submission', 'not_found')
  if (stored.planned) return summaryOf(stored.planned)
  const work = await connectWork(deps, command)
  const draft = await draftPlan(deps, work, stored.fileId)
  if ('refused' in draft) {
    if (!draft.requirements.answerable) await refresh(deps, work)
    throw ApplicationFailure.nonRetryable(draft.refused, 'evidence_refused')
  }
  await storePlan(deps.db, deps.ring, submitEvidenceId, draft)
  // A concurrent attempt may have stored a plan first: every attempt uses the stored one.
  const kept = await loadPlan(deps.db, deps.ring, submitEvidenceId)
  return summaryOf(kept?.planned ?? draft.planned)
}

/** The dispute has changed at the PSP and can't be contested: update the chargeback at once. */
async function refresh(deps: ActivityDeps, { command, connection, psp }: Work): Promise<void> {
  const readAt = deps.now()
  const raw = await psp.call((adapter) => adapter.fetchDispute(command.reference))
  await tryStoreReading(deps, connection, psp.definition, raw, readAt)
}

const summaryOf = ({ uploads, fields, staged }: PlannedSubmission): PlanSummary => ({
  uploads: uploads ? fields.length : 0,
  staged,
})

/** The plan for a file, or why there is none. Only reads from the PSP. */
export async function draftPlan(
  deps: ActivityDeps,
  {
    command,
    connection,
    psp,
  }: Pick<Work, 'connection' | 'psp'> & {
    command: { chargebackId: string; reference: string; round: number; merchantUuid: string }
  },
  fileId: string,
): Promise<Draft> {
  // A dry run has seconds, so start the file process while the PSP responds.
  deps.files.prepare()
  const requirements = await psp.call(async (adapter) => {
    if (!adapter.describeEvidence) throw new PspError('invalid_request', `${connection.source} takes no evidence`)
    return adapter.describeEvidence(command.reference)
  })
  const refused = (sentence: string, dropped: SubmissionPlan['dropped'] = []) => ({
    refused: sentence,
    requirements,
    dropped,
  })
  if (!requirements.answerable) return refused(requirements.reason ?? 'The PSP takes no evidence for it now.')
  const file = await evidenceFile(deps, { merchantUuid: command.merchantUuid, fileId })
  if (!file) return refused('The file is not there any more: upload it again and submit the new one.')
  const fitted = await fitDocument(deps.files, file, requirements)
  if ('refused' in fitted) return refused(fitted.refused)
  const { points, ...known } = await knownOf(deps, command, requirements)
  // What was reviewed is what is sent.
  const reviewed = await reviewedContent(deps.db, deps.ring, { ...command, fileId })
  const { textSources, textTable = { fields: {} } } = psp.definition
  const own = () => cleanTexts(evidenceTexts(points, Object.keys(requirements.textFields), textSources), textTable)
  const texts = reviewed?.texts ?? own()
  const answer = { texts, ...(reviewed?.purchases === undefined ? known : purchasesOf(reviewed.purchases)) }
  const plan = place(psp, requirements, { fileId, wanted: wantedField(file.metadata), fitted, ...answer })
  const fields = plan.steps.flatMap((step) => (step.do === 'upload' ? [step.field] : []))
  if (fields.length === 0) return refused(whyNothing(plan, fileId), plan.dropped)
  const { document, converted } = fitted
  return {
    requirements,
    texts: plan.texts,
    planned: {
      fields,
      uploads: psp.adapter.uploadFile !== undefined,
      staged: plan.steps.some((step) => step.do === 'stage'),
      document: { type: document.type, bytes: document.data.byteLength, sha256: sha256Of(document.data) },
      converted,
      // Includes chargeback and round, so that the same file in a later round counts as another submission.
      digest: createHash('sha256')
        .update(JSON.stringify([command.chargebackId, command.round, plan.digest]))
        .digest('hex'),
      submissionsBefore: requirements.submissions ?? 0,
      dropped: plan.dropped,
      shortened: plan.shortened,
    },
  }
}

/**
 * The client's data about the purchase, and about earlier purchases if the PSP accepts them. Excludes data that the PSP
 * provided itself.
 */
async function knownOf(
  deps: ActivityDeps,
  { chargebackId, merchantUuid }: { chargebackId: string; merchantUuid: string },
  { compellingEvidence }: EvidenceRequirements,
): Promise<{ points: DataPoints; purchases?: CompellingEvidenceInput }> {
  const [data] = await loadChargebackData(deps.db, deps.ring, { chargebackIds: [chargebackId], merchantUuid })
  if (!data) return { points: {} }
  const points = disputedPurchase(data)
  if (!compellingEvidence) return { points }
  const { cardScheme, reasonCode, postingDate } = data
  const earlier = (await earlierPurchases(deps.db, deps.ring, [data])).get(data.id) ?? []
  const purchases = { cardScheme: cardScheme as CardScheme | null, reasonCode, postingDate, disputed: points, earlier }
  return { points, purchases: cleanPurchases(purchases) }
}

const purchasesOf = (frozen: FrozenPurchases | null) => (frozen ? { purchases: frozenPurchases(frozen) } : {})

/**
 * Puts the document in its field. If several fields are required and none covers all, each gets the same document,
 * which contains everything.
 */
function place(
  { definition }: Work['psp'],
  requirements: EvidenceRequirements,
  what: { fileId: string; wanted: string | undefined; fitted: Fitted } & Omit<EvidencePacket, 'files'>,
): SubmissionPlan {
  const { fileId, wanted, fitted: _, ...rest } = what
  const { name, type, data } = what.fitted.document
  const file = { fileId, name, type, bytes: data.byteLength, sha256: sha256Of(data) }
  const plan = (packet: EvidencePacket) => {
    if (!definition.planSubmission) throw new PspError('invalid_request', `${definition.source} takes no evidence`)
    return definition.planSubmission(requirements, packet)
  }
  const first = plan({ files: [{ ...file, ...(wanted && { field: wanted }) }], ...rest })
  const groups = requirements.requiredFields ?? []
  if (groups.length < 2 || first.steps.length > 0) return first
  const everywhere = groups.flatMap(([field]) => (field ? [{ ...file, field }] : []))
  const second = plan({ files: everywhere, ...rest })
  return second.steps.length > 0 ? second : first
}

/** The field that the client named at the upload: metadata key `field`. */
function wantedField(metadata: string | null): string | undefined {
  if (metadata === null) return undefined
  const { field } = JSON.parse(metadata) as { field?: unknown }
  return typeof field === 'string' && field !== '' ? field : undefined
}

function whyNothing(plan: SubmissionPlan, fileId: string): string {
  const whys = plan.dropped
    .toSorted((a, b) => Number(b.what === fileId) - Number(a.what === fileId))
    .map(({ why }) => why)
  return `The file can not be submitted: ${[...new Set(whys)].join('; ')}.`
}
