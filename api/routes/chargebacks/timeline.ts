import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { readTimeline } from '../../../db/chargebacks/timeline.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { envelope, ids, selector, timestamp } from '../../http/shapes.ts'

const values = (description: string) => z.record(z.string(), z.unknown()).optional().openapi({ description })

const event = z
  .object({
    when: timestamp.openapi({ description: 'When it was recorded.' }),
    source: z.string().openapi({
      description:
        'Who or what caused it: api, clock, operator, reconciler, scope, deactivation, planning (of evidence), removal ' +
        '(of a person), deadline, or the name of the PSP.',
    }),
    by: z.string().optional().openapi({ description: 'Name of the credential that asked for it.' }),
    what: z.string().openapi({ description: 'What happened, in short words.' }),
    before: values('What it was, where something changed: fields of the chargeback by their names and in their units.'),
    after: values(
      'What it is since then, and further words. Where an operator resolved an acceptance or a submission: `operator`, ' +
        'the name; `reason`; and `approvedBy`, where a second person had to agree.',
    ),
  })
  .openapi('TimelineEvent')

const read = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/timeline',
  operationId: 'readTimeline',
  tags: ['Chargebacks'],
  summary: 'Read what happened to a chargeback',
  description: 'Every change and who or what caused it, oldest first. Nothing is ever taken out or altered.',
  request: { headers: selector, params: z.object({ id: ids.chargeback }) },
  responses: {
    200: success(
      'The timeline',
      z
        .object({ ...envelope, data: z.array(event).openapi({ description: 'The events, oldest first.' }) })
        .openapi('Timeline'),
      {
        status: 200,
        message: 'Timeline retrieved',
        data: [
          {
            when: '2026-01-31T09:31:02.000Z',
            source: 'stripe',
            what: 'ingested',
            after: { status: 'waiting_for_data', pspStatus: 'needs_response', amount: 10.99, currency: 'USD' },
          },
          {
            when: '2026-01-31T09:35:40.000Z',
            source: 'api',
            what: 'status changed',
            before: { status: 'waiting_for_data' },
            after: { status: 'building_evidence', reason: 'The data asked for is complete enough.' },
          },
        ],
      },
    ),
    ...readErrors,
  },
})

export function timelineRoutes({ db }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(read, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const events = await readTimeline(db, { merchantUuid: c.get('merchantUuid'), chargebackId })
    const data = events.map(({ when, source, by, what, before, after }) => ({
      when: when.toISOString(),
      source,
      ...(by !== undefined && { by }),
      what,
      ...(before && { before }),
      ...(after && { after }),
    }))
    return c.json({ status: 200, message: 'Timeline retrieved', data }, 200)
  })
  return routes
}
