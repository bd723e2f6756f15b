import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { createIngestion, ingestionNotFound, readIngestion } from '../../../db/polling/ingestions.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, writeErrors } from '../../http/responses.ts'
import { createResponse, envelope, idempotencyKey, selector } from '../../http/shapes.ts'
import { type IngestionStatus, ingestion, ingestionKey, rawDataBody, rawDataExample } from './raw-data-body.ts'
import { acceptRawData } from './raw-data-check.ts'

const example = { id: '0198c5a4-9c20-7d60-9a55-2f4b1f6f7d10' }

const upload = createRoute({
  method: 'post',
  path: '/sandbox/raw-data',
  operationId: 'uploadRawData',
  tags: ['Sandbox'],
  summary: 'Upload raw PSP data',
  description:
    'Sandbox only (403 `sandbox_only` in production). The object is what `dataSource` would send: in its own shape – a ' +
    'dispute of Stripe or PayPal, one of Braintree’s SDK in camelCase, one `NotificationRequestItem` of Adyen – or in ' +
    'the Recoup shape, which is recognised by its `chargebackId`: the fields of a Chargeback that the service does not ' +
    'derive. An early fraud warning is a Stripe Radar warning, a dispute of the stage alert, or the Recoup shape with a ' +
    '`providerName`. A transaction is a body of POST /transactions. Refunds, card checks, payment actions and issuer ' +
    'notes have an `id` (Adyen: `pspReference`), name a chargeback or transaction (`chargebackId`, `transactionId`, ' +
    '`arn`, `externalTransactionIdentifier`, `charge`, `payment_intent`, `originalReference`, …) and become its data ' +
    'points `refunds`, `cardChecks`, `paymentActions` and `issuerNotes`, as soon as it is there. Processed in the ' +
    'background; the id of the answer is the ingestion’s. The same object with another status drives the life cycle, ' +
    'one with an older `requestTimeStamp` than the last applied is ignored. Refusals (400) beyond validation: ' +
    '`data_source_not_accepted` (only a sandbox integration takes every source), `integration_not_usable`.',
  request: {
    headers: idempotencyKey,
    body: { required: true, content: { 'application/json': { schema: rawDataBody, example: rawDataExample } } },
  },
  responses: {
    201: success('The object is stored and will be processed', createResponse, {
      status: 201,
      message: 'Raw data accepted',
      ...example,
    }),
    ...writeErrors,
  },
})

const read = createRoute({
  method: 'get',
  path: '/sandbox/raw-data/{id}',
  operationId: 'readRawDataIngestion',
  tags: ['Sandbox'],
  summary: 'Read what became of uploaded raw data',
  description: '404 `ingestion_not_found`.',
  request: { headers: selector, params: z.object({ id: ingestionKey }) },
  responses: {
    200: success(
      'The ingestion',
      z.object({ ...envelope, data: ingestion.openapi({ description: 'The ingestion.' }) }).openapi('IngestionRead'),
      {
        status: 200,
        message: 'Ingestion retrieved',
        data: {
          ...example,
          status: 'applied',
          dataType: 'chargebacks',
          rawDataId: 'cb-1001',
          createdAt: '2026-01-31T09:30:00.000Z',
          processedAt: '2026-01-31T09:30:01.000Z',
        },
      },
    ),
    ...readErrors,
  },
})

/** Operation 21 and the read of its result. */
export function rawDataRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.use('/sandbox/*', async (_, next) => {
    if (deps.environment !== 'sandbox')
      throw new ApiError(403, 'sandbox_only', 'Raw data can be uploaded in the sandbox environment only.')
    await next()
  })

  routes.openapi(upload, async (c) => {
    const merchantUuid = c.get('merchantUuid')
    const object = await acceptRawData(deps, merchantUuid, c.req.valid('json'), await c.req.text())
    const { response, outboxId } = await deps.db.transaction().execute(async (trx) => {
      const { credentialId } = c.get('principal')
      const created = await createIngestion(trx, deps.ring, { merchantUuid, credentialId, ...object })
      const response = { status: 201, message: 'Raw data accepted', id: created.ingestionId }
      await storeIdempotentResponse(c, deps, trx, 201, response)
      return { response, outboxId: created.outboxId }
    })
    await deps.dispatch(outboxId)
    return c.json(response, 201)
  })

  routes.openapi(read, async (c) => {
    const { id: ingestionId } = c.req.valid('param')
    if (!isUuid(ingestionId)) throw ingestionNotFound()
    const row = await readIngestion(deps.db, { merchantUuid: c.get('merchantUuid'), ingestionId })
    const data = {
      id: row.ingestion_id,
      status: row.status as IngestionStatus,
      ...(row.reason !== null && { reason: row.reason }),
      dataType: row.data_type,
      rawDataId: row.reference,
      createdAt: row.created_at.toISOString(),
      ...(row.processed_at && { processedAt: row.processed_at.toISOString() }),
    }
    return c.json({ status: 200, message: 'Ingestion retrieved', data }, 200)
  })
  return routes
}
