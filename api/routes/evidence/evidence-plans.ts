import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { EvidenceRequirements } from '../../../adapters/contract.ts'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { type DraftResult, loadDraft, requestDraft } from '../../../db/evidence/evidence-drafts.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { success, writeErrors } from '../../http/responses.ts'
import { envelope, idempotencyKey, ids, timestamp } from '../../http/shapes.ts'
import { evidenceBody, leftOut } from './evidence-body.ts'

const count = z.number().int()
const requirements = z
  .object({
    fileTypes: z.array(z.string()).openapi({ description: 'Media types of documents.' }),
    maxFileBytes: count.openapi({ description: 'Bytes of one document.' }),
    maxTotalBytes: count.openapi({ description: 'Bytes of all documents together.' }),
    maxFiles: count.openapi({ description: 'Number of documents.' }),
    maxPages: count.optional().openapi({ description: 'Absent where pages are not counted.' }),
    fileFields: z.array(z.string()).openapi({ description: 'Places for one document each.' }),
    requiredFields: z.array(z.array(z.string())).optional().openapi({
      description: 'Groups of places; nothing can be submitted before each group has a document in one of its places.',
    }),
    textFields: z.record(z.string(), count).openapi({ description: 'Characters that each text may have.' }),
    maxTextCharacters: count.openapi({ description: 'Characters of all texts together.' }),
    dueDate: timestamp.optional().openapi({ description: 'When the PSP wants the evidence.' }),
    oneShot: z.boolean().openapi({ description: 'Whether the PSP takes one submission only.' }),
  })
  .openapi('EvidenceRequirements')

const plan = z
  .object({
    submittable: z.boolean().openapi({ description: 'Whether the file could be submitted now.' }),
    code: z.string().optional().openapi({ description: 'Stable name of why it can’t be submitted.' }),
    reason: z.string().optional().openapi({ description: 'Why it can’t be submitted.' }),
    requirements: requirements
      .optional()
      .openapi({ description: 'What the dispute takes now, where the PSP said so.' }),
    steps: z
      .array(
        z.object({
          do: z.enum(['upload', 'stage', 'submit']).openapi({ description: 'What is done.' }),
          fileId: ids.file.optional(),
          field: z.string().optional().openapi({ description: 'Place of the document at the PSP.' }),
        }),
      )
      .openapi({ description: 'What would be sent to the PSP, in order.' }),
    texts: z.array(z.string()).openapi({ description: 'Names of the texts that would be sent with the file.' }),
    ...leftOut,
  })
  .openapi('EvidencePlan')

const example = {
  status: 200,
  message: 'Evidence plan',
  data: {
    submittable: true,
    steps: [
      { do: 'upload', fileId: '0198c5a4-5555-7d60-9a55-2f4b1f6f7d10', field: 'uncategorized_file' },
      { do: 'stage' },
      { do: 'submit' },
    ],
    texts: ['customer_email_address'],
  },
}

const dryRun = createRoute({
  method: 'post',
  path: '/chargebacks/{id}/evidence/plan',
  operationId: 'planEvidence',
  tags: ['Evidence'],
  summary: 'Try out what a submission would send',
  description:
    'A dry run: asks the PSP what this dispute takes now and tells what a submission of the file would send, drop, ' +
    'shorten or convert, or why it can’t be submitted. Nothing is sent and nothing changes. Refusals (404) beyond the ' +
    'chargeback: `file_not_found`; (400) `too_many_files`. 503 while the PSP or the worker that asks it is unavailable.',
  request: {
    headers: idempotencyKey,
    params: z.object({ id: ids.chargeback }),
    body: {
      required: true,
      content: {
        'application/json': { schema: evidenceBody, example: { fileId: '0198c5a4-5555-7d60-9a55-2f4b1f6f7d10' } },
      },
    },
  },
  responses: {
    200: success(
      'The plan',
      z.object({ ...envelope, data: plan.openapi({ description: 'The plan.' }) }).openapi('EvidencePlanRead'),
      example,
    ),
    ...writeErrors,
  },
})

/** Refusals after which a call to the PSP makes no sense. */
const POINTLESS: readonly string[] = ['integration_not_usable', 'evidence_not_supported']

export function evidencePlanRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(dryRun, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const { planId, source, refusal } = await requestDraft(deps.db, {
      merchantUuid: c.get('merchantUuid'),
      chargebackId,
      fileId: c.req.valid('json').fileId,
      now: deps.now?.() ?? new Date(),
      contestStages: (of, secretType) => answerStages(deps.adapters.adapterFor(of, secretType)?.capabilities.contest),
    })
    const why = refusal && { code: refusal.code, reason: refusal.message }
    if (why && POINTLESS.includes(why.code)) return c.json(read(null, why), 200)
    const done = await deps.draft?.({ planId, psp: source, chargebackId })
    const found = done ? (await loadDraft(deps.db, planId))?.answer : null
    if (!found)
      throw new ApiError(503, 'service_unavailable', 'The PSP can not be asked at the moment. Try again.', {
        'retry-after': '5',
      })
    return c.json(read(found, why), 200)
  })
  return routes
}

function read(found: DraftResult | null, why: { code: string; reason: string } | null) {
  const refused = why ?? found?.refused ?? null
  const { dropped = [], shortened = [], converted = null } = found ?? {}
  return {
    status: 200,
    message: 'Evidence plan',
    data: {
      submittable: refused === null,
      ...refused,
      ...(found?.requirements ? { requirements: shape(found.requirements as EvidenceRequirements) } : {}),
      steps: refused ? [] : ((found?.steps ?? []) as { do: 'upload' | 'stage' | 'submit' }[]),
      texts: refused ? [] : (found?.texts ?? []),
      ...(dropped.length > 0 && { dropped }),
      ...(shortened.length > 0 && { shortened }),
      ...(converted && { converted }),
    },
  }
}

function shape(found: EvidenceRequirements): z.infer<typeof requirements> {
  const { fileTypes, maxFileBytes, maxTotalBytes, maxFiles, fileFields, textFields, maxTextCharacters, oneShot } = found
  return {
    ...{ fileTypes: [...fileTypes], fileFields: [...fileFields], textFields: { ...textFields } },
    ...{ maxFileBytes, maxTotalBytes, maxFiles, maxTextCharacters, oneShot },
    ...(found.maxPages !== null && { maxPages: found.maxPages }),
    ...(found.requiredFields && { requiredFields: found.requiredFields.map((group) => [...group]) }),
    ...(found.dueDate !== null && { dueDate: found.dueDate }),
  }
}
