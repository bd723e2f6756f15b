import { z } from '@hono/zod-openapi'
import { withoutNulls } from '../../../db/core/without-nulls.ts'
import type { DeliveryRecord } from '../../../db/webhooks/deliveries.ts'
import { DELIVERY_STATES } from '../../../domain/webhooks/endpoint.ts'
import { eventName } from '../../../webhooks/render.ts'
import { timestamp } from '../../http/shapes.ts'

export const deliveryId = z
  .string()
  .regex(/^\d{1,18}$/, 'Must be the id of a delivery')
  .openapi({ description: 'Id of the delivery.', example: '184467' })
export const eventId = z
  .string()
  .openapi({ description: 'Id of the event, which each attempt sends as webhook-id.', example: 'evt_0198c5a4' })

export const delivery = z
  .object({
    deliveryId,
    eventId,
    type: z.string().openapi({ description: 'Type of the event.', example: 'chargeback.created' }),
    state: z.enum(DELIVERY_STATES).openapi({
      description:
        '`failed`: ten attempts, or 76 hours, without a 2xx. `cancelled`: the endpoint was disabled or deleted.',
    }),
    replayed: z.boolean().openapi({ description: 'Whether a replay made it.' }),
    createdAt: timestamp.openapi({ description: 'When the delivery was made.' }),
    finishedAt: timestamp.optional().openapi({ description: 'When it was delivered, failed or cancelled.' }),
    nextAttemptAt: timestamp.optional().openapi({ description: 'When it is tried next, while it waits.' }),
    attempts: z
      .array(
        z.object({
          at: timestamp.openapi({ description: 'When it was sent.' }),
          status: z.number().int().optional().openapi({ description: 'HTTP status of the response.' }),
          kind: z
            .string()
            .optional()
            .openapi({
              description:
                'Why there was no response: `address_refused`, `name_not_found`, `connect`, `tls`, `timeout`, ' +
                '`response_invalid`, `connection_lost`; or `not_in_log`: the event has expired.',
            }),
          durationMs: z.number().int().openapi({ description: 'Milliseconds until the response, or the failure.' }),
        }),
      )
      .openapi({ description: 'The attempts. What receivers answer is not kept.' }),
  })
  .openapi('WebhookDelivery')

export function toDelivery({
  deliveryId,
  eventId,
  tries,
  createdAt,
  finishedAt,
  nextAttemptAt,
  ...rest
}: DeliveryRecord) {
  const times = { finishedAt: finishedAt?.toISOString() ?? null, nextAttemptAt: nextAttemptAt?.toISOString() ?? null }
  return {
    deliveryId: String(deliveryId),
    eventId: eventName(eventId),
    ...rest,
    createdAt: createdAt.toISOString(),
    ...withoutNulls(times),
    attempts: tries,
  }
}
