import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { upsertTransaction } from '../../../db/chargebacks/transactions.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { success, writeErrors } from '../../http/responses.ts'
import { createResponse, idempotencyKey } from '../../http/shapes.ts'
import { transactionBody } from './transaction-body.ts'

const example = {
  transactionId: 'ch_3Pgc2f',
  transactionCardBin: '424242',
  transactionCardLastFourDigits: '4242',
  transactionCreatedDate: '2026-01-15T10:20:00Z',
  transactionOrderEmail: 'buyer@example.com',
  transactionOrderIpAddress: '203.0.113.7',
}

const upsert = createRoute({
  method: 'post',
  path: '/transactions',
  operationId: 'upsertTransaction',
  tags: ['Transactions'],
  summary: 'Create or update a transaction record',
  description:
    'A purchase or other activity of a customer, found again by its `transactionId`: given fields overwrite, others ' +
    'stay, and an empty text takes back a field that has no prescribed form. It joins every chargeback of the merchant with the same transactionId, ' +
    'externalTransactionIdentifier or arn, whether that is there already or arrives later, and raises its enrichment. ' +
    'Earlier undisputed purchases on the same card count as compelling evidence. The id of the answer is the record’s ' +
    'own and the same at every update.',
  request: {
    headers: idempotencyKey,
    body: { required: true, content: { 'application/json': { schema: transactionBody, example } } },
  },
  responses: {
    201: success('The record is stored', createResponse, {
      status: 201,
      message: 'Transaction stored',
      id: '0198c5a4-7777-7d60-9a55-2f4b1f6f7d10',
    }),
    ...writeErrors,
  },
})

export function transactionRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(upsert, async (c) => {
    const record = c.req.valid('json')
    const response = await deps.db.transaction().execute(async (trx) => {
      const merchantUuid = c.get('merchantUuid')
      const now = deps.now?.() ?? new Date()
      const stored = await upsertTransaction(trx, deps.ring, { merchantUuid, record, now, source: 'api' })
      const envelope = { status: 201, message: 'Transaction stored', id: stored.transactionRecordId }
      await storeIdempotentResponse(c, deps, trx, 201, envelope)
      return envelope
    })
    return c.json(response, 201)
  })
  return routes
}
