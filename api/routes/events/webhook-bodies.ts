import type { OpenAPIHono, z } from '@hono/zod-openapi'
import { EVENT_TYPES } from '../../../domain/events/catalogue.ts'
import type { ApiEnv } from '../../context.ts'
import { eventSchema, exampleEvent } from './event-shape.ts'
import { exampleTestEvent, testEvent } from './test-event.ts'

/** Describes the body of each event in the section `webhooks` of the OpenAPI document. */
export function describeEvents(app: OpenAPIHono<ApiEnv>): void {
  const bodies: [string, z.ZodType, unknown][] = [
    ...EVENT_TYPES.map((type): [string, z.ZodType, unknown] => [type, eventSchema(type), exampleEvent(type)]),
    [exampleTestEvent.type, testEvent, exampleTestEvent],
  ]
  for (const [type, schema, example] of bodies)
    app.openAPIRegistry.registerWebhook({
      method: 'post',
      path: type,
      operationId: `on_${type.replace('.', '_')}`,
      tags: ['Events'],
      summary: `The event ${type}`,
      description:
        type === exampleTestEvent.type ? 'Sent on request, to one endpoint.' : 'The same body as in `GET /events`.',
      request: {
        body: {
          required: true,
          content: { 'application/json': { schema, example } },
        },
      },
      responses: { 200: { description: 'Received. Any status from 200 to 299 will do.' } },
    })
}
