import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { acceptanceFields, readAcceptance, requestAcceptance } from '../../../db/commands/acceptances.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { isUnchanged } from '../../http/etag.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { changedError, readErrors, success, successVersioned, writeErrors } from '../../http/responses.ts'
import { conditional, createResponse, decidingHeaders, ids } from '../../http/shapes.ts'
import { sameAsRead } from '../chargebacks/chargeback-version.ts'
import { acceptance, exampleAcceptance } from './acceptance-shape.ts'

const params = z.object({ id: ids.chargeback })

const accept = createRoute({
  method: 'post',
  path: '/chargebacks/{id}/accept',
  operationId: 'acceptChargeback',
  tags: ['Acceptance'],
  summary: 'Accept a chargeback',
  description:
    'Accepts the dispute at the PSP, in the background. It cannot be reversed. Repeating the request while an ' +
    'acceptance is created, inProgress or succeeded starts nothing; after a failed one it starts a new attempt. ' +
    'Refusals (400) carry the code of the condition: `not_open`, `overdue`, `acceptance_not_supported`, ' +
    '`evidence_submission_exists`, `integration_not_usable`, `answered_elsewhere`, `merged`.',
  request: { headers: decidingHeaders, params },
  responses: {
    200: success('The acceptance is requested', createResponse, {
      status: 200,
      message: 'Acceptance requested',
      id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
    }),
    ...writeErrors,
    ...changedError,
  },
})

const status = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/accept',
  operationId: 'readAcceptance',
  tags: ['Acceptance'],
  summary: 'Read the status of an acceptance',
  request: { headers: conditional, params },
  responses: {
    ...successVersioned('The latest acceptance of the chargeback', acceptance, exampleAcceptance),
    ...readErrors,
  },
})

export function acceptanceRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(accept, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const response = { status: 200, message: 'Acceptance requested', id: chargebackId }
    const { outboxId } = await deps.db.transaction().execute(async (trx) => {
      const requested = await requestAcceptance(trx, {
        merchantUuid: c.get('merchantUuid'),
        chargebackId,
        credentialId: c.get('principal').credentialId,
        now: deps.now?.() ?? new Date(),
        unchanged: sameAsRead(c, chargebackId),
        acceptStages: (source, secretType) =>
          answerStages(deps.adapters.adapterFor(source, secretType)?.capabilities.accept),
      })
      await storeIdempotentResponse(c, deps, trx, 200, response)
      return requested
    })
    if (outboxId !== null) await deps.dispatch(outboxId)
    return c.json(response, 200)
  })

  routes.openapi(status, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const found = await readAcceptance(deps.db, { merchantUuid: c.get('merchantUuid'), chargebackId })
    if (isUnchanged(c, `${found.acceptanceId}-${found.version}`)) return c.body(null, 304) as never
    return c.json(acceptanceFields(found), 200)
  })
  return routes
}
