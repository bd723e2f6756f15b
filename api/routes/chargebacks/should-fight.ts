import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { decideShouldFight } from '../../../db/chargebacks/should-fight.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { changedError, success, writeErrors } from '../../http/responses.ts'
import { createResponse, decidingHeaders, ids } from '../../http/shapes.ts'
import { sameAsRead } from './chargeback-version.ts'

const decide = createRoute({
  method: 'patch',
  path: '/chargebacks/{id}/should-fight',
  operationId: 'decideShouldFight',
  tags: ['Chargebacks'],
  summary: 'Decide whether to fight a chargeback',
  description:
    'Overrides the out-of-scope rules and the default of the contract for this chargeback, both ways. Not to fight does ' +
    'not accept it at the PSP. Refusals (400) carry the code of the reason: `acceptance_exists`, ' +
    '`evidence_submission_exists`, `not_open`, `overdue`, `deactivated`.',
  request: {
    headers: decidingHeaders,
    params: z.object({ id: ids.chargeback }),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({
              shouldFight: z.boolean().openapi({ description: 'Whether the service answers it.', example: true }),
            })
            .openapi('ShouldFight'),
        },
      },
    },
  },
  responses: {
    201: success('The decision is stored', createResponse, {
      status: 201,
      message: 'Decision stored',
      id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
    }),
    ...writeErrors,
    ...changedError,
  },
})

export function shouldFightRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(decide, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const response = { status: 201, message: 'Decision stored', id: chargebackId }
    await deps.db.transaction().execute(async (trx) => {
      await decideShouldFight(trx, {
        merchantUuid: c.get('merchantUuid'),
        chargebackId,
        shouldFight: c.req.valid('json').shouldFight,
        credentialId: c.get('principal').credentialId,
        now: deps.now?.() ?? new Date(),
        unchanged: sameAsRead(c, chargebackId),
      })
      await storeIdempotentResponse(c, deps, trx, 201, response)
    })
    return c.json(response, 201)
  })
  return routes
}
