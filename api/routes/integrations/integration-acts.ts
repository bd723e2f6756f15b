import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { pauseByClient, requestPollByClient } from '../../../db/integrations/client-operations.ts'
import { readIntegration } from '../../../db/integrations/integrations.ts'
import { quarantinedPage } from '../../../db/polling/quarantine.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, writeErrors } from '../../http/responses.ts'
import {
  createResponse,
  envelope,
  hasMore,
  idempotencyKey,
  ids,
  paging,
  selector,
  timestamp,
} from '../../http/shapes.ts'
import { checkIntegrationId, integrationIdParam } from './integration-body.ts'

const exampleId = '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10'
const request = { headers: idempotencyKey, params: integrationIdParam }

const poll = createRoute({
  method: 'post',
  path: '/integrations/{id}/poll',
  operationId: 'pollIntegration',
  tags: ['Integrations'],
  summary: 'Poll an integration now',
  description:
    'Without waiting for the next poll. While the credential is not accepted, it is checked again instead. `lastPolledAt`, ' +
    'or `status`, shows what came of it. Refusals (400): `integration_inactive`, `integration_paused`.',
  request,
  responses: {
    202: success(
      'It will be done within seconds',
      z
        .object({
          ...envelope,
          id: ids.integration,
          asked: z
            .enum(['poll', 'verification'])
            .openapi({ description: 'A poll, or another check of the credential.' }),
        })
        .openapi('IntegrationPoll'),
      { status: 202, message: 'Poll requested', id: exampleId, asked: 'poll' },
    ),
    ...writeErrors,
  },
})

const pause = createRoute({
  method: 'post',
  path: '/integrations/{id}/pause',
  operationId: 'pauseIntegration',
  tags: ['Integrations'],
  summary: 'Pause the polls of an integration',
  description:
    'The PSP is asked for no disputes until they are resumed. Acceptances, submissions and deadlines go on, so a ' +
    'dispute can become due unseen. Pausing again changes nothing. Refusal (400): `integration_inactive`.',
  request,
  responses: {
    200: success('The polls are paused', createResponse, { status: 200, message: 'Polls paused', id: exampleId }),
    ...writeErrors,
  },
})

const resume = createRoute({
  method: 'post',
  path: '/integrations/{id}/resume',
  operationId: 'resumeIntegration',
  tags: ['Integrations'],
  summary: 'Resume the polls of an integration',
  description:
    'Resuming again changes nothing. Refusals (400): `integration_inactive`; `paused_by_operator`, because only the ' +
    'operator of the service resumes what the operator paused.',
  request,
  responses: {
    200: success('The polls go on', createResponse, { status: 200, message: 'Polls resumed', id: exampleId }),
    ...writeErrors,
  },
})

const quarantined = z
  .object({
    reference: z.string().optional().openapi({ description: 'The PSP’s id of the dispute, if the object has one.' }),
    reason: z.string().openapi({ description: 'Why it could not be read.' }),
    seen: z.int().min(1).openapi({ description: 'How often the PSP returned it.' }),
    firstSeenAt: timestamp.openapi({ description: 'When the PSP first returned it.' }),
    lastSeenAt: timestamp.openapi({ description: 'When the PSP last returned it.' }),
  })
  .openapi('QuarantinedObject')

const quarantine = createRoute({
  method: 'get',
  path: '/integrations/{id}/quarantine',
  operationId: 'listQuarantine',
  tags: ['Integrations'],
  summary: 'List disputes that could not be read',
  description:
    'Disputes that the PSP returned and Recoup could not read, last seen first: look at them at the PSP. Their content is ' +
    'kept sealed for the operator. One that can be read later leaves the list.',
  request: { headers: selector, params: integrationIdParam, query: z.object(paging) },
  responses: {
    200: success(
      'A page of disputes that could not be read',
      z
        .object({ ...envelope, hasMore, data: z.array(quarantined).openapi({ description: 'Those of the page.' }) })
        .openapi('Quarantine'),
      {
        ...{ status: 200, message: 'Quarantine retrieved', hasMore: false },
        data: [
          {
            ...{ reference: 'du_1MtJUT2eZvKYlo2C', reason: 'The amount is missing.', seen: 3 },
            ...{ firstSeenAt: '2026-01-31T09:30:00.000Z', lastSeenAt: '2026-01-31T09:32:00.000Z' },
          },
        ],
      },
    ),
    ...readErrors,
  },
})

export function integrationActRoutes(deps: ApiDeps) {
  const { db } = deps
  const routes = new OpenAPIHono<ApiEnv>()
  const which = (c: Context<ApiEnv>, id: string) => ({
    merchantUuid: c.get('merchantUuid'),
    integrationId: checkIntegrationId(id),
  })

  routes.openapi(poll, async (c) => {
    const of = which(c, c.req.valid('param').id)
    const { response, outboxId } = await db.transaction().execute(async (trx) => {
      const { asked, outboxId } = await requestPollByClient(trx, of)
      const response = { status: 202, message: 'Poll requested', id: of.integrationId, asked }
      await storeIdempotentResponse(c, deps, trx, 202, response)
      return { response, outboxId }
    })
    await deps.dispatch(outboxId)
    return c.json(response, 202)
  })

  const change = async (c: Context<ApiEnv>, id: string, paused: boolean) => {
    const of = which(c, id)
    const { credentialId } = c.get('principal')
    const response = { status: 200, message: paused ? 'Polls paused' : 'Polls resumed', id: of.integrationId }
    const { outboxId } = await db.transaction().execute(async (trx) => {
      const changed = await pauseByClient(trx, of, { paused, credentialId })
      await storeIdempotentResponse(c, deps, trx, 200, response)
      return changed
    })
    if (outboxId !== null) await deps.dispatch(outboxId)
    return response
  }
  routes.openapi(pause, async (c) => c.json(await change(c, c.req.valid('param').id, true), 200))
  routes.openapi(resume, async (c) => c.json(await change(c, c.req.valid('param').id, false), 200))

  routes.openapi(quarantine, async (c) => {
    const of = which(c, c.req.valid('param').id)
    const { limit, page } = c.req.valid('query')
    await readIntegration(db, of)
    const found = await quarantinedPage(db, { ...of, limit, page })
    const data = found.slice(0, limit).map(({ reference, firstSeenAt, lastSeenAt, ...rest }) => ({
      ...(reference !== null && { reference }),
      ...rest,
      firstSeenAt: firstSeenAt.toISOString(),
      lastSeenAt: lastSeenAt.toISOString(),
    }))
    return c.json({ status: 200, message: 'Quarantine retrieved', hasMore: found.length > limit, data }, 200)
  })
  return routes
}
