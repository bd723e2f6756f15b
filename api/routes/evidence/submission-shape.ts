import { z } from '@hono/zod-openapi'
import { COMMAND_STATUSES } from '../../../domain/acceptance.ts'
import { ids, referenceAccountId, timestamp } from '../../http/shapes.ts'
import { leftOut } from './evidence-body.ts'

/** An evidence submission as clients see it. */
export const submission = z
  .object({
    submitEvidenceId: ids.submission,
    fileId: ids.file,
    id: ids.chargeback,
    referenceAccountId,
    status: z.enum(COMMAND_STATUSES).openapi({ description: 'How far the submission is.' }),
    submittedAt: timestamp.openapi({ description: 'Time of the request; of the completion once it succeeded.' }),
    error: z.string().optional().openapi({ description: 'What went wrong, when it failed.' }),
    ...leftOut,
  })
  .openapi('EvidenceSubmissionStatus')

export const exampleSubmission = {
  submitEvidenceId: '0198c5a4-7777-7d60-9a55-2f4b1f6f7d10',
  fileId: '0198c5a4-5555-7d60-9a55-2f4b1f6f7d10',
  id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
  referenceAccountId: 'demo-shop',
  status: 'succeeded',
  submittedAt: '2026-01-31T09:30:00.000Z',
}
