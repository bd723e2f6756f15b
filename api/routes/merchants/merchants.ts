import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { deactivateMerchant } from '../../../db/integrations/deactivations.ts'
import { listMerchants, readMerchant } from '../../../db/merchants/merchant-list.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { recordSetting } from '../../../db/settings/setting-events.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { merchantNotFound, readErrors, success, successEmpty, writeErrors } from '../../http/responses.ts'
import {
  accountIdempotencyKey,
  dateTime,
  envelope,
  hasMore,
  idempotencyKey,
  ids,
  ordered,
  paging,
} from '../../http/shapes.ts'
import { deactivationFields, toDeactivation } from './deactivation-body.ts'
import { merchantBody } from './merchant-body.ts'
import { exampleMerchant, merchant } from './merchant-shape.ts'

const list = createRoute({
  method: 'get',
  path: '/merchants',
  operationId: 'listMerchants',
  tags: ['Merchants'],
  summary: 'List merchants',
  description: 'Newest first. Needs an account credential; reference-account-id is ignored.',
  request: {
    query: z
      .object({
        ...paging,
        merchantUuid: z.uuid('Must be a UUID').optional().openapi({ description: 'This merchant only.' }),
        startDate: dateTime.optional().openapi({ description: 'Start of the range of the creation, included.' }),
        endDate: dateTime.optional().openapi({ description: 'End of the range of the creation, included.' }),
      })
      .refine(...ordered('startDate', 'endDate')),
  },
  responses: {
    200: success(
      'A page of merchants',
      z
        .object({
          ...envelope,
          hasMore,
          data: z.array(merchant).openapi({ description: 'The merchants of the page.' }),
        })
        .openapi('MerchantList'),
      { status: 200, message: 'Merchants retrieved', hasMore: false, data: [exampleMerchant] },
    ),
    ...readErrors,
  },
})

const create = createRoute({
  method: 'post',
  path: '/merchants',
  operationId: 'createMerchant',
  tags: ['Merchants'],
  summary: 'Create a merchant',
  description:
    'Needs an account credential; reference-account-id is ignored. From the second merchant on, account credentials ' +
    'need the header in the other operations: at once, and within half a second in other API processes. Refusal (400) beyond validation: `duplicate_reference_id`.',
  request: {
    headers: accountIdempotencyKey,
    body: { required: true, content: { 'application/json': { schema: merchantBody } } },
  },
  responses: {
    201: success('The merchant is stored', z.object({ merchantUuid: ids.merchant }).openapi('MerchantCreated'), {
      merchantUuid: exampleMerchant.merchantUuid,
    }),
    ...writeErrors,
  },
})

const deactivate = createRoute({
  method: 'delete',
  path: '/merchants',
  operationId: 'deactivateMerchant',
  tags: ['Merchants'],
  summary: 'Deactivate a merchant',
  description:
    'The merchant that the credential, of any scope, and the header select. Nothing is removed; from the date on its ' +
    'status is Inactive. Another request moves the date until it has come. Refusal (400) beyond validation: ' +
    '`deactivation_final`.',
  request: {
    headers: idempotencyKey,
    body: {
      required: true,
      content: { 'application/json': { schema: z.strictObject(deactivationFields).openapi('MerchantDeactivation') } },
    },
  },
  responses: { 200: successEmpty('The date is stored; there is no body'), ...writeErrors },
})

const read = createRoute({
  method: 'get',
  path: '/merchants/{merchantUuid}',
  operationId: 'readMerchant',
  tags: ['Merchants'],
  summary: 'Read a merchant',
  description: 'Needs an account credential; reference-account-id is ignored.',
  request: { params: z.object({ merchantUuid: ids.merchant }) },
  responses: { 200: success('The merchant', merchant, exampleMerchant), ...readErrors, 404: merchantNotFound },
})

export function merchantRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()
  const now = () => deps.now?.() ?? new Date()

  routes.openapi(list, async (c) => {
    const { accountId } = c.get('principal')
    const { merchants, hasMore } = await listMerchants(deps.db, { accountId, now: now(), ...c.req.valid('query') })
    return c.json({ status: 200, message: 'Merchants retrieved', hasMore, data: merchants }, 200)
  })

  routes.openapi(create, async (c) => {
    const { email, firstName, lastName, ...merchant } = c.req.valid('json')
    const { accountId } = c.get('principal')
    const contact = { email, firstName, lastName }
    const response = await deps.db.transaction().execute(async (trx) => {
      const { merchantUuid } = await createMerchant(trx, deps.ring, { accountId, contact, ...merchant })
      await storeIdempotentResponse(c, deps, trx, 201, { merchantUuid })
      return { merchantUuid }
    })
    return c.json(response, 201)
  })

  routes.openapi(deactivate, async (c) => {
    const body = c.req.valid('json')
    const by = { merchantUuid: c.get('merchantUuid'), credentialId: c.get('principal').credentialId }
    const { outboxId } = await deps.db.transaction().execute(async (trx) => {
      const asked = await deactivateMerchant(trx, { ...by, deactivation: toDeactivation(body), now: now() })
      await recordSetting(trx, { ...by, what: 'merchant deactivation requested', details: body })
      await storeIdempotentResponse(c, deps, trx, 200, undefined)
      return asked
    })
    await deps.dispatch(outboxId)
    return c.body(null, 200)
  })

  routes.openapi(read, async (c) => {
    const { merchantUuid } = c.req.valid('param')
    if (!isUuid(merchantUuid)) throw new ApiError(400, 'validation_failed', 'merchantUuid: Must be a UUID')
    const { accountId } = c.get('principal')
    const found = await readMerchant(deps.db, { accountId, merchantUuid, now: now() })
    if (!found)
      throw new ApiError(404, 'merchant_not_found', 'There is no merchant with this id.', {}, { statusCode: 404 })
    return c.json(found, 200)
  })
  return routes
}
