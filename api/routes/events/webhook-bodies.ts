import type { OpenAPIHono } from '@hono/zod-openapi'
import { EVENT_TYPES } from '../../../domain/events/catalogue.ts'
import type { ApiEnv } from '../../context.ts'
import { eventSchema, exampleEvent } from './event-shape.ts'

/** Describes the body of each event in the section `webhooks` of the OpenAPI document. */
export function describeEvents(app: OpenAPIHono<ApiEnv>): void {
  for (const type of EVENT_TYPES)
    app.openAPIRegistry.registerWebhook({
      method: 'post',
      path: type,
      operationId: `on_${type.replace('.', '_')}`,
      tags: ['Events'],
      summary: `The event ${type}`,
      description: 'The same body as in `GET /events`.',
      request: {
        body: {
          required: true,
          content: { 'application/json': { schema: eventSchema(type), example: exampleEvent(type) } },
        },
      },
      responses: { 200: { description: 'Received. Any status from 200 to 299 will do.' } },
    })
}
