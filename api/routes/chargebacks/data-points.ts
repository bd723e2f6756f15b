import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { chargebackNotFound } from '../../../db/chargebacks/chargebacks.ts'
import { changeDataPoints } from '../../../db/chargebacks/client-data.ts'
import { readDataPoints } from '../../../db/chargebacks/known-data-points.ts'
import { permits } from '../../../domain/accounts/credential.ts'
import { type DataPoints, faultOfDataPoint } from '../../../domain/data-points.ts'
import { DATA_POINT_SOURCES } from '../../../domain/details/known-data-points.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, writeErrors } from '../../http/responses.ts'
import { createResponse, envelope, idempotencyKey, ids, selector, timestamp } from '../../http/shapes.ts'
import { MAX_FAULTS } from '../../http/validation.ts'

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const dataPoints = z
  .custom<DataPoints>(isObject, 'Must be an object of data points')
  .superRefine((points, context) => {
    const names = Object.keys(points)
    if (names.length === 0) context.addIssue({ code: 'custom', message: 'Must hold at least one data point' })
    let faults = 0
    for (const name of names) {
      const message = faultOfDataPoint(name, points[name])
      if (message) context.addIssue({ code: 'custom', path: [name.slice(0, 120)], message })
      if (message && ++faults === MAX_FAULTS) return
    }
  })
  .openapi('DataPoints', {
    type: 'object',
    minProperties: 1,
    additionalProperties: true,
    description:
      'Values by name. A name is a letter and up to 99 letters, digits and underscores; a value is a string, a number, ' +
      'a boolean, or arrays and objects of them, five levels deep at most. Fields of the chargeback itself are refused.',
    example: {
      transactionOrderEmail: 'buyer@example.com',
      signedDelivery: true,
      shippingCarrier: 'UPS',
      shippingTrackingNumber: '1Z 999 AA1 01 2345 6784',
    },
  })

const known = z
  .object({
    name: z.string().openapi({ description: 'Name of the data point.' }),
    source: z.enum(DATA_POINT_SOURCES).openapi({ description: 'Where it comes from.' }),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
      .optional()
      .openapi({ description: 'Its value, where it is kept and the role may see it.' }),
    when: timestamp.optional().openapi({ description: 'When a client last gave it.' }),
  })
  .openapi('KnownDataPoint')

const update = createRoute({
  method: 'patch',
  path: '/chargebacks/{id}',
  operationId: 'updateChargeback',
  tags: ['Chargebacks'],
  summary: 'Update the data points of a chargeback',
  description:
    'Given data points overwrite, others stay; an empty text, array or object takes one back. Names of operation 1 ' +
    'raise the enrichment like a transaction record; `liabilityShift`, `signedDelivery`, `usageAfterPurchase`, ' +
    '`refundProof` and `policyAccepted` weigh in the win probability; others are kept and can be used as evidence: ' +
    '`shippingCarrier` and `shippingTrackingNumber` reach every PSP that has a field for them. An account may have its own list of data points: then others are refused. Refusals (400) beyond validation: ' +
    '`evidence_submission_exists`, `outcome_final`, `too_many_data_points`.',
  request: {
    headers: idempotencyKey,
    params: z.object({ id: ids.chargeback }),
    body: { required: true, content: { 'application/json': { schema: dataPoints } } },
  },
  responses: {
    201: success('The data points are stored', createResponse, {
      status: 201,
      message: 'Data points stored',
      id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
    }),
    ...writeErrors,
  },
})

const read = createRoute({
  method: 'get',
  path: '/chargebacks/{id}/data-points',
  operationId: 'readDataPoints',
  tags: ['Chargebacks'],
  summary: 'Read the data points of a chargeback',
  description:
    'What is known about the chargeback, by name: given by a client, of a joined transaction, or of the PSP. A data ' +
    'point of a client overrides the others. Values may name a person: a credential with the role `read` gets names only.',
  request: { headers: selector, params: z.object({ id: ids.chargeback }) },
  responses: {
    200: success(
      'The data points',
      z
        .object({ ...envelope, data: z.array(known).openapi({ description: 'The data points, by name.' }) })
        .openapi('KnownDataPoints'),
      {
        status: 200,
        message: 'Data points retrieved',
        data: [
          { name: 'shippingCarrier', source: 'client', value: 'UPS', when: '2026-01-31T09:35:40.000Z' },
          { name: 'transactionOrderEmail', source: 'transaction', value: 'buyer@example.com' },
        ],
      },
    ),
    ...readErrors,
  },
})

export function dataPointRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(update, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw new ApiError(400, 'validation_failed', 'id: Must be a UUID')
    const response = { status: 201, message: 'Data points stored', id: chargebackId }
    await deps.db.transaction().execute(async (trx) => {
      await changeDataPoints(trx, deps.ring, {
        merchantUuid: c.get('merchantUuid'),
        chargebackId: response.id,
        credentialId: c.get('principal').credentialId,
        points: c.req.valid('json'),
        now: deps.now?.() ?? new Date(),
      })
      await storeIdempotentResponse(c, deps, trx, 201, response)
    })
    return c.json(response, 201)
  })

  routes.openapi(read, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const found = await readDataPoints(deps.db, deps.ring, { merchantUuid: c.get('merchantUuid'), chargebackId })
    const withValues = permits(c.get('principal').role, 'work')
    const data = found.map(({ name, source, value, when }) => ({
      name,
      source,
      ...(withValues && value !== undefined && { value }),
      ...(when && { when: when.toISOString() }),
    }))
    return c.json({ status: 200, message: 'Data points retrieved', data }, 200)
  })
  return routes
}
