import { z } from '@hono/zod-openapi'
import { sources } from '../../../adapters/registry.ts'
import { MOST_COUNTED } from '../../../db/integrations/integration-details.ts'
import { INTEGRATION_STATUSES, SECRET_TYPES } from '../../../domain/integration.ts'
import { ids, timestamp } from '../../http/shapes.ts'

const details = z
  .object({
    externalIdentifier: z.string().openapi({ description: 'The account at the PSP, as the client named it.' }),
    secretType: z.enum(SECRET_TYPES).openapi({ description: 'Kind of the credential.' }),
    pspAccount: z.string().optional().openapi({ description: 'The account at the PSP, as the PSP reported it.' }),
    notificationUrl: z.string().openapi({
      description: 'Address for the webhook of the PSP, at the public address that the operator configured.',
    }),
    createdAt: timestamp.openapi({ description: 'When it was connected.' }),
    secretReplacedAt: timestamp.optional().openapi({ description: 'When its secret was last replaced.' }),
    lastSuccessAt: timestamp.optional().openapi({ description: 'End of the last poll that succeeded.' }),
    chargebacks: z
      .int()
      .min(0)
      .max(MOST_COUNTED)
      .openapi({ description: `Number of its chargebacks; ${MOST_COUNTED} stands for that many or more.` }),
    paused: z.boolean().openapi({ description: 'Whether its polls are paused.' }),
    pausedBy: z
      .enum(['client', 'operator'])
      .optional()
      .openapi({ description: 'Who paused it. Only the operator resumes what the operator paused.' }),
    deactivation: z
      .object({
        type: z
          .string()
          .openapi({ description: 'Which date of a chargeback is compared: `postingDate` or `dueDate`.' }),
        date: timestamp.openapi({ description: 'From when on chargebacks are not handled.' }),
      })
      .optional()
      .openapi({ description: 'The deactivation that was requested.' }),
    permissions: z
      .array(
        z.object({
          permission: z.string().openapi({ description: 'Name of the permission at the PSP.' }),
          state: z.enum(['ok', 'missing', 'unverified']).openapi({ description: 'What the last check found.' }),
          hint: z.string().openapi({ description: 'What it is for, or the way out.' }),
        }),
      )
      .openapi({ description: 'Permissions of the credential, as the PSP reported them at its last check.' }),
  })
  .openapi('IntegrationDetails')

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
    details: details.optional().openapi({ description: 'With `expand=details`.' }),
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

/** Further fields on request. */
export const expand = z.enum(['details']).optional().openapi({
  description: '`details`: also what a page about the integration shows.',
})
