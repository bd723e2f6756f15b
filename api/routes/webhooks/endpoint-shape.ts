import { z } from '@hono/zod-openapi'
import { EVENT_PATTERNS } from '../../../domain/events/catalogue.ts'
import { DISABLED_REASONS, ENDPOINT_STATES, PAYLOADS, SIGNATURES } from '../../../domain/webhooks/endpoint.ts'
import { endpointUrl } from '../../../domain/webhooks/endpoint-url.ts'
import { envelope, freeText, id, text, timestamp } from '../../http/shapes.ts'

export const endpointId = id.openapi({ description: 'Id of the webhook endpoint, assigned by the service.' })
export const endpointIdParam = z.object({ id: endpointId })

/** Most patterns of an endpoint. */
const MOST_PATTERNS = 50

export const eventPatterns = z
  .array(z.enum(EVENT_PATTERNS, { error: `Must be one of ${EVENT_PATTERNS.join(', ')}` }))
  .min(1)
  .max(MOST_PATTERNS)
  .openapi({
    description: 'Types of events to send: a type, all types of an object (`chargeback.*`), or all (`*`).',
    example: ['chargeback.*'],
  })

/** Its form; the environment and the addresses of the host are checked afterwards. */
const url = text(2_048)
  .superRefine((value, context) => {
    const read = endpointUrl(value, 'sandbox')
    if ('fault' in read) context.addIssue({ code: 'custom', message: read.fault })
  })
  .openapi({
    format: 'uri',
    description:
      'Where events are sent: https; in the sandbox http too. The port is that of the scheme or one from 1024 on. The host ' +
      'has public addresses only, unless the operator of the service has allowed a network. Redirects are not followed.',
    example: 'https://shop.example/recoup-webhooks',
  })
const description = freeText(500).openapi({ description: 'For people.', example: 'Order system' })
const payload = z.enum(PAYLOADS).openapi({
  description: '`full`: the object as its GET shows it. `thin`: its id, and which fields changed.',
})
const signature = z.enum(SIGNATURES).openapi({
  description: '`ed25519` adds such a signature (`v1a`) to the HMAC (`v1`) that each event has.',
})

export const newEndpointBody = z
  .strictObject({
    url,
    events: eventPatterns,
    description: description.optional(),
    payload: payload.default('full'),
    signature: signature.default('hmac'),
  })
  .openapi('WebhookEndpointCreation')

export const endpointChangeBody = z
  .strictObject({
    url: url.optional(),
    events: eventPatterns.optional(),
    description: description.nullable().optional(),
    payload: payload.optional(),
    enabled: z.boolean().optional().openapi({
      description:
        '`false` disables it and cancels what waits. `true` enables it again: what was not sent is sent by a replay only.',
    }),
  })
  .refine((value) => Object.keys(value).length > 0, {
    message: 'Name what is to change: url, events, description, payload, enabled',
  })
  .openapi('WebhookEndpointChange')

export const endpoint = z
  .object({
    id: endpointId,
    url: z.string().openapi({ description: 'Where events are sent.' }),
    description: description.optional(),
    events: z.array(z.string()).openapi({ description: 'Types of events that are sent.' }),
    payload,
    signature,
    publicKey: z.string().optional().openapi({ description: 'Verifies `v1a` signatures; of ed25519 endpoints only.' }),
    state: z.enum(ENDPOINT_STATES).openapi({
      description:
        '`failing`: not reached, or five failures in a row; one event is tried from time to time. `disabled`: nothing is ' +
        'sent.',
    }),
    disabledReason: z
      .enum(DISABLED_REASONS)
      .optional()
      .openapi({
        description:
          '`gone`: it answered 410. `unreachable`: no success for five days. `requested`: by a client or an operator. ' +
          '`address_erased`: its address held data of an erased person.',
      }),
    createdAt: timestamp.openapi({ description: 'When the endpoint was created.' }),
    lastSuccessAt: timestamp.optional().openapi({ description: 'When it last answered 2xx.' }),
    lastFailure: z
      .object({
        at: timestamp.openapi({ description: 'When it failed.' }),
        status: z.number().int().optional().openapi({ description: 'HTTP status of the response.' }),
        kind: z.string().optional().openapi({ description: 'Why there was no response, for example `timeout`.' }),
      })
      .optional()
      .openapi({ description: 'The last attempt that had no 2xx.' }),
    pending: z.number().int().openapi({ description: 'Events that wait to be sent.' }),
  })
  .openapi('WebhookEndpoint')

export const endpointRead = z
  .object({ ...envelope, data: endpoint.openapi({ description: 'The endpoint.' }) })
  .openapi('WebhookEndpointRead')

export const exampleEndpoint = {
  id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
  url: 'https://shop.example/recoup-webhooks',
  description: 'Order system',
  events: ['chargeback.*'],
  payload: 'full',
  signature: 'hmac',
  state: 'enabled',
  createdAt: '2026-01-31T09:30:00.000Z',
  lastSuccessAt: '2026-02-01T10:00:00.120Z',
  pending: 0,
} as const
