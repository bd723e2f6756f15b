import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { readAssessed } from '../../../db/chargebacks/assessments.ts'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { explainChargeback } from '../../../domain/assessment/explanation.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { envelope, ids, selector } from '../../http/shapes.ts'
import { assessment, exampleAssessment, toAssessment } from './assessment-shape.ts'

const read = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/assessment',
  operationId: 'readAssessment',
  tags: ['Chargebacks'],
  summary: 'Read why a chargeback is assessed as it is',
  description:
    'Chance, advice, scope, deadline and status, each with why; what data is missing, and what Visa compelling evidence ' +
    'still needs. Advisory only: nothing accepts or fights by itself.',
  request: { headers: selector, params: z.object({ id: ids.chargeback }) },
  responses: {
    200: success(
      'The assessment',
      z.object({ ...envelope, data: assessment.openapi({ description: 'The assessment.' }) }).openapi('AssessmentRead'),
      { status: 200, message: 'Assessment retrieved', data: exampleAssessment },
    ),
    ...readErrors,
  },
})

export function assessmentRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(read, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const assessed = await readAssessed(deps.db, deps.ring, {
      merchantUuid: c.get('merchantUuid'),
      chargebackId: chargebackId,
      now: deps.now?.() ?? new Date(),
    })
    const data = toAssessment(explainChargeback(assessed))
    return c.json({ status: 200, message: 'Assessment retrieved', data }, 200)
  })
  return routes
}
