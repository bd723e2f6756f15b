import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { Refusal } from '../../../db/core/refusal.ts'
import { requestSubmission } from '../../../db/evidence/evidence-submissions.ts'
import { listSubmissions, readSubmission, submissionFields } from '../../../db/evidence/submission-reads.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { isUnchanged, versionOf } from '../../http/etag.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { changedError, readErrors, success, successVersioned, writeErrors } from '../../http/responses.ts'
import { conditional, createResponse, decidingHeaders, envelope, ids } from '../../http/shapes.ts'
import { sameAsRead } from '../chargebacks/chargeback-version.ts'
import { evidenceBody } from './evidence-body.ts'
import { exampleSubmission, submission } from './submission-shape.ts'

const submit = createRoute({
  method: 'post',
  path: '/chargebacks/{id}/evidence/submit',
  operationId: 'submitEvidence',
  tags: ['Evidence'],
  summary: 'Submit a file as evidence',
  description:
    'Contests the chargeback at the PSP with an uploaded file, in the background; it takes up to 24 hours, depending on ' +
    'the PSP, and cannot be reversed. The same file again while its submission is created, inProgress or succeeded gives ' +
    'the same submission; after a failed one a new one starts. A picture is put into a PDF where the PSP takes PDFs only. ' +
    'Where a PSP keeps several places for documents, the metadata key `field` of the file names the one wanted. ' +
    'A PSP may take a further answer of a dispute that it reviews or has decided: an appeal, more information (PayPal ' +
    'offers them by link, and the timeline tells it). Then another file can be submitted after one that succeeded. ' +
    'Texts that the PSP has fields for are filled from data points and transaction records of the client. The `fileId` of the ' +
    'draft (`readEvidenceDraft`) approves the draft: it is sent with its own texts. ' +
    'Refusals (400) carry the code of the condition: `not_open`, `overdue`, `evidence_not_supported`, ' +
    '`acceptance_exists`, `other_file_submitted`, `integration_not_usable`, `answered_elsewhere`, `merged`, `too_many_files`, `draft_changed`. Refusals (404) beyond the chargeback: ' +
    '`file_not_found`.',
  request: {
    headers: decidingHeaders,
    params: z.object({ id: ids.chargeback }),
    body: {
      required: true,
      content: { 'application/json': { schema: evidenceBody, example: { fileId: exampleSubmission.fileId } } },
    },
  },
  responses: {
    201: success('The submission is requested; the id is the submission’s', createResponse, {
      status: 201,
      message: 'Evidence submission requested',
      id: exampleSubmission.submitEvidenceId,
    }),
    ...writeErrors,
    ...changedError,
  },
})

const list = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/evidence/submit',
  operationId: 'listEvidenceSubmissions',
  tags: ['Evidence'],
  summary: 'List the evidence submissions of a chargeback',
  description: 'Of every round, also failed ones, and those that the automatic submission requested.',
  request: { headers: conditional, params: z.object({ id: ids.chargeback }) },
  responses: {
    ...successVersioned(
      'The submissions',
      z
        .object({
          ...envelope,
          data: z.array(submission).openapi({ description: 'The latest 100 submissions, newest first.' }),
        })
        .openapi('EvidenceSubmissionList'),
      { status: 200, message: 'Evidence submissions retrieved', data: [exampleSubmission] },
    ),
    ...readErrors,
  },
})

const status = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/evidence/submit/{submitEvidenceId}',
  operationId: 'readEvidenceSubmission',
  tags: ['Evidence'],
  summary: 'Read the status of an evidence submission',
  description: 'Refusals (404) beyond the chargeback: `submission_not_found`.',
  request: { headers: conditional, params: z.object({ id: ids.chargeback, submitEvidenceId: ids.submission }) },
  responses: {
    ...successVersioned(
      'The submission, with what had to be left out or changed, once that is known',
      submission,
      exampleSubmission,
    ),
    ...readErrors,
  },
})

export function evidenceSubmissionRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(submit, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const { response, outboxId } = await deps.db.transaction().execute(async (trx) => {
      const { submitEvidenceId, outboxId } = await requestSubmission(trx, {
        merchantUuid: c.get('merchantUuid'),
        chargebackId,
        fileId: c.req.valid('json').fileId,
        credentialId: c.get('principal').credentialId,
        now: deps.now?.() ?? new Date(),
        unchanged: sameAsRead(c, chargebackId),
        contestStages: (source, secretType) =>
          answerStages(deps.adapters.adapterFor(source, secretType)?.capabilities.contest),
      })
      const response = { status: 201, message: 'Evidence submission requested', id: submitEvidenceId }
      await storeIdempotentResponse(c, deps, trx, 201, response)
      return { response, outboxId }
    })
    if (outboxId !== null) await deps.dispatch(outboxId)
    return c.json(response, 201)
  })

  routes.openapi(list, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const found = await listSubmissions(deps.db, { merchantUuid: c.get('merchantUuid'), chargebackId })
    const data = found.map(submissionFields)
    if (isUnchanged(c, versionOf(data))) return c.body(null, 304) as never
    return c.json({ status: 200, message: 'Evidence submissions retrieved', data }, 200)
  })

  routes.openapi(status, async (c) => {
    const { id: chargebackId, submitEvidenceId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    if (!isUuid(submitEvidenceId))
      throw new Refusal('missing', 'submission_not_found', 'There is no evidence submission with this id.')
    const found = await readSubmission(deps.db, { merchantUuid: c.get('merchantUuid'), chargebackId, submitEvidenceId })
    if (isUnchanged(c, `${found.submitEvidenceId}-${found.version}`)) return c.body(null, 304) as never
    return c.json(submissionFields(found), 200)
  })
  return routes
}
