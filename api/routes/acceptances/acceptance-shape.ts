import { z } from '@hono/zod-openapi'
import { COMMAND_STATUSES } from '../../../domain/acceptance.ts'
import { ids, referenceAccountId, timestamp } from '../../http/shapes.ts'

/** An acceptance as clients see it. */
export const acceptance = z
  .object({
    id: ids.chargeback,
    referenceAccountId,
    status: z.enum(COMMAND_STATUSES).openapi({ description: 'How far the acceptance is.' }),
    acceptedAt: timestamp.openapi({ description: 'Time of the request; of the completion once it succeeded.' }),
    error: z.string().optional().openapi({ description: 'What went wrong, when it failed.' }),
  })
  .openapi('AcceptanceStatus')

export const exampleAcceptance = {
  id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
  referenceAccountId: 'demo-shop',
  status: 'succeeded',
  acceptedAt: '2026-01-31T09:30:00.000Z',
}
