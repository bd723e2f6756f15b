import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { alertFields } from '../../../db/alerts/alert-fields.ts'
import { recordAlertOutcome } from '../../../db/alerts/alert-outcomes.ts'
import { alertNotFound, listAlerts, readAlert } from '../../../db/alerts/alerts.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, writeErrors } from '../../http/responses.ts'
import { createResponse, envelope, freeText, hasMore, id, idempotencyKey, paging, selector } from '../../http/shapes.ts'
import { alert, exampleAlert, provider, reportFields } from './alert-shape.ts'

const outcomeBody = z
  .strictObject({
    alertId: id.openapi({ description: 'The alert, by the id that the service gave it.' }),
    providerName: provider,
    ...reportFields,
    comments: freeText(500).optional().openapi({ description: 'Anything worth keeping, at most 500 characters.' }),
  })
  .refine(({ refunded, outcome }) => refunded !== undefined || outcome !== undefined, {
    path: ['outcome'],
    message: 'At least one of refunded and outcome is required',
    when: ({ value }) => typeof value === 'object' && value !== null && !('outcome' in value || 'refunded' in value),
  })
  .openapi('AlertOutcome')

const report = createRoute({
  method: 'post',
  path: '/pre-chargeback-alerts/alerts/outcome',
  operationId: 'createAlertOutcome',
  tags: ['Pre-chargeback alerts'],
  summary: 'Record the outcome of an alert',
  description:
    'At least one of `refunded` and `outcome` is given. The same report again answers with the same id. Refusals beyond ' +
    'validation: 404 `alert_not_found`; 400 `alert_provider_mismatch` when another provider raised the alert, and ' +
    '`alert_outcome_final` when a different outcome was recorded that can not be replaced.',
  request: {
    headers: idempotencyKey,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: outcomeBody,
          example: {
            alertId: exampleAlert.alertId,
            providerName: 'Ethoca',
            refunded: 'refunded',
            outcome: 'stopped',
            comments: 'The order was stopped before it was shipped.',
          },
        },
      },
    },
  },
  responses: {
    201: success('The outcome is recorded', createResponse, {
      status: 201,
      message: 'Alert outcome recorded',
      id: '0198c5a4-7b10-7d60-9a55-2f4b1f6f7d10',
    }),
    ...writeErrors,
  },
})

const list = createRoute({
  method: 'get',
  path: '/pre-chargeback-alerts/alerts',
  operationId: 'listAlerts',
  tags: ['Pre-chargeback alerts'],
  summary: 'List alerts',
  description: 'Newest first.',
  request: { headers: selector, query: z.object(paging) },
  responses: {
    200: success(
      'A page of alerts',
      z
        .object({
          ...envelope,
          hasMore,
          data: z.array(alert).openapi({ description: 'The alerts of the page.' }),
        })
        .openapi('AlertList'),
      { status: 200, message: 'Alerts retrieved', hasMore: false, data: [exampleAlert] },
    ),
    ...readErrors,
  },
})

const read = createRoute({
  method: 'get',
  path: '/pre-chargeback-alerts/alerts/{alertId}',
  operationId: 'readAlert',
  tags: ['Pre-chargeback alerts'],
  summary: 'Read an alert',
  description: 'With the outcome that is in force, if one was recorded. 404 `alert_not_found`.',
  request: {
    headers: selector,
    params: z.object({ alertId: id.openapi({ description: 'Id of the alert, assigned by the service.' }) }),
  },
  responses: {
    200: success(
      'The alert',
      z.object({ ...envelope, data: alert.openapi({ description: 'The alert.' }) }).openapi('AlertRead'),
      { status: 200, message: 'Alert retrieved', data: exampleAlert },
    ),
    ...readErrors,
  },
})

/** Operation 20 and the reads of alerts. */
export function alertRoutes(deps: ApiDeps) {
  const { db, ring } = deps
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(report, async (c) => {
    const { alertId, providerName, refunded = null, outcome = null, comments = null } = c.req.valid('json')
    if (!isUuid(alertId)) throw alertNotFound()
    const merchantUuid = c.get('merchantUuid')
    const { credentialId } = c.get('principal')
    const response = await db.transaction().execute(async (trx) => {
      const facts = { alertId, providerName, refunded, outcome, comments }
      const recorded = await recordAlertOutcome(trx, ring, { merchantUuid, credentialId, ...facts })
      const made = { status: 201, message: 'Alert outcome recorded', id: recorded.id }
      await storeIdempotentResponse(c, deps, trx, 201, made)
      return made
    })
    return c.json(response, 201)
  })

  routes.openapi(list, async (c) => {
    const { limit, page } = c.req.valid('query')
    const found = await listAlerts(db, ring, { merchantUuid: c.get('merchantUuid'), limit, page })
    const data = found.slice(0, limit).map(alertFields)
    return c.json({ status: 200, message: 'Alerts retrieved', hasMore: found.length > limit, data }, 200)
  })

  routes.openapi(read, async (c) => {
    const { alertId } = c.req.valid('param')
    if (!isUuid(alertId)) throw alertNotFound()
    const row = await readAlert(db, ring, { merchantUuid: c.get('merchantUuid'), alertId })
    return c.json({ status: 200, message: 'Alert retrieved', data: alertFields(row) }, 200)
  })
  return routes
}
