import { z } from '@hono/zod-openapi'
import { sources } from '../../../adapters/registry.ts'
import { INTEGRATION_STATUSES } from '../../../domain/integration.ts'
import { ids, timestamp } from '../../http/shapes.ts'

/** An integration as clients see it. */
export const integration = z
  .object({
    integrationId: ids.integration,
    integrationName: z.string().openapi({ description: 'The name that the client gave it.' }),
    source: z.enum(sources()).openapi({ description: 'The PSP.' }),
    status: z.enum(INTEGRATION_STATUSES).openapi({
      description:
        'PENDING while the credential is checked; FAILED when the PSP refused it; INACTIVE once deactivated.',
    }),
    statusReason: z.string().optional().openapi({
      description: 'Why the credential was refused (FAILED) or could not be checked yet (PENDING), and the way out.',
    }),
    statusChangedAt: timestamp.openapi({ description: 'Time of the last change of the status.' }),
    goLiveDate: timestamp.optional().openapi({ description: 'Chargebacks posted before it are not handled.' }),
    lastPolledAt: timestamp.optional().openapi({
      description: 'End of the last poll, successful or not. Absent before the first one.',
    }),
    lastNotificationAt: timestamp.optional().openapi({
      description: 'Arrival of the last genuine notification of the PSP. Absent before the first one.',
    }),
    quarantined: z.int().min(0).openapi({
      description: 'Disputes that the PSP showed and Recoup could not read. They are kept for the operator.',
    }),
    problem: z
      .string()
      .optional()
      .openapi({
        description:
          'What keeps the integration from its work: a refused credential, an unreachable PSP, a failed poll, or a pause ' +
          'by the operator. Absent when nothing does.',
      }),
  })
  .openapi('Integration')

export const integrationExample = {
  integrationId: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10',
  integrationName: 'Stripe Europe',
  source: 'stripe',
  status: 'SUCCESSFUL',
  statusChangedAt: '2026-01-31T09:30:00.000Z',
  lastPolledAt: '2026-02-03T10:15:00.000Z',
  quarantined: 0,
}
