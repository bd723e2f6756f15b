import { z } from '@hono/zod-openapi'
import { TEST_EVENT } from '../../../domain/webhooks/endpoint.ts'
import { timestamp } from '../../http/shapes.ts'

/** The body of a test, which is sent to one endpoint and is not in the log. */
export const testEvent = z
  .object({
    id: z.string().openapi({ description: 'Id of the test.', pattern: '^evt_[0-9a-f]{32}$' }),
    type: z.literal(TEST_EVENT).openapi({ description: 'A test.' }),
    timestamp: timestamp.openapi({ description: 'When it was sent.' }),
    sequence: z.literal('0').openapi({ description: '`0`: it has no position in the log.' }),
    data: z
      .object({ webhookEndpointId: z.string().openapi({ description: 'Id of the webhook endpoint.' }) })
      .openapi({ description: 'What it is about.' }),
  })
  .openapi('WebhookTestEvent')

export const exampleTestEvent = {
  id: 'evt_0198c5a46c1e7d609a552f4b1f6f7d10',
  type: TEST_EVENT,
  timestamp: '2026-02-03T10:15:00.000Z',
  sequence: '0',
  data: { webhookEndpointId: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10' },
} as const
