import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { faultOfSecret, type SecretToCheck } from '../../../adapters/shared/check-secret.ts'
import { integrationNotFound } from '../../../db/core/refusal.ts'
import { deactivateIntegration } from '../../../db/integrations/deactivations.ts'
import { readIntegrationDetails } from '../../../db/integrations/integration-details.ts'
import { detailFields, integrationFields } from '../../../db/integrations/integration-fields.ts'
import {
  createIntegration,
  type IntegrationRecord,
  listIntegrations,
  readIntegration,
} from '../../../db/integrations/integrations.ts'
import { recordSetting } from '../../../db/settings/setting-events.ts'
import { SANDBOX_SOURCE } from '../../../domain/chargeback.ts'
import { isUuid } from '../../../domain/ids.ts'
import { DEFAULT_PUBLIC_URL } from '../../console/public-url.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, successEmpty, writeErrors } from '../../http/responses.ts'
import { dateTime, idempotencyKey, ids, ordered, paging, selector } from '../../http/shapes.ts'
import { issuesSentence } from '../../http/validation.ts'
import { deactivationFields, toDeactivation } from '../merchants/deactivation-body.ts'
import { checkIntegrationId, type IntegrationBody, integrationBody, integrationIdParam } from './integration-body.ts'
import { expand, integration, integrationExample } from './integration-shape.ts'

const exampleBody = {
  integrationName: 'Stripe Europe',
  source: 'stripe',
  externalIdentifier: 'acct_1032D82eZvKYlo2C',
  secretType: 'APIKEY_ONLY',
  secretPayload: { apiKey: '<restricted key of the PSP>' },
}

const list = createRoute({
  method: 'get',
  path: '/integrations',
  operationId: 'listIntegrations',
  tags: ['Integrations'],
  summary: 'List integrations',
  description: 'Newest first.',
  request: {
    headers: selector,
    query: z
      .object({
        ...paging,
        integrationId: z.uuid('Must be a UUID').optional().openapi({ description: 'This integration only.' }),
        startDate: dateTime.optional().openapi({ description: 'Start of the range of the creation, included.' }),
        endDate: dateTime.optional().openapi({ description: 'End of the range of the creation, included.' }),
        expand,
      })
      .refine(...ordered('startDate', 'endDate')),
  },
  responses: { 200: success('A page of integrations', z.array(integration), [integrationExample]), ...readErrors },
})

const create = createRoute({
  method: 'post',
  path: '/integrations',
  operationId: 'createIntegration',
  tags: ['Integrations'],
  summary: 'Connect a PSP account',
  description:
    'The credential is checked at the PSP in the background: the status starts PENDING and becomes SUCCESSFUL or ' +
    'FAILED. Refusals (400) beyond validation: `secret_type_not_accepted`, `configuration_invalid`, `duplicate_integration`.',
  request: {
    headers: idempotencyKey,
    body: { required: true, content: { 'application/json': { schema: integrationBody, example: exampleBody } } },
  },
  responses: {
    201: success(
      'The integration is stored',
      z.object({ integrationId: ids.integration }).openapi('IntegrationCreated'),
      {
        integrationId: integrationExample.integrationId,
      },
    ),
    ...writeErrors,
  },
})

const read = createRoute({
  method: 'get',
  path: '/integrations/{id}',
  operationId: 'readIntegration',
  tags: ['Integrations'],
  summary: 'Read an integration',
  request: { headers: selector, params: integrationIdParam, query: z.object({ expand }) },
  responses: {
    200: success('The integration', integration, integrationExample),
    ...readErrors,
  },
})

const deactivate = createRoute({
  method: 'delete',
  path: '/integrations/{id}',
  operationId: 'deactivateIntegration',
  tags: ['Integrations'],
  summary: 'Deactivate an integration',
  description:
    'Nothing is removed. On the date its status becomes INACTIVE, which is final: it is not polled any more and its ' +
    'externalIdentifier is free. Another request moves the date until it has come. Refusal (400) beyond validation: ' +
    '`deactivation_final`.',
  request: {
    headers: idempotencyKey,
    params: integrationIdParam,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({
              integrationId: z
                .uuid('Must be a UUID')
                .toLowerCase()
                .optional()
                .openapi({ description: 'When given, the same as in the path.' }),
              ...deactivationFields,
            })
            .openapi('IntegrationDeactivation'),
        },
      },
    },
  },
  responses: { 200: successEmpty('The date is stored; there is no body'), ...writeErrors },
})

export function integrationRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(list, async (c) => {
    const { expand, ...filter } = c.req.valid('query')
    const merchantUuid = c.get('merchantUuid')
    const found = await listIntegrations(deps.db, { merchantUuid, ...filter })
    return c.json(await shown(deps, { merchantUuid, expand }, found), 200)
  })

  routes.openapi(create, async (c) => {
    const body = c.req.valid('json')
    checkConnectable(deps, body)
    const { response, outboxId } = await deps.db.transaction().execute(async (trx) => {
      const created = await createIntegration(trx, deps.ring, { merchantUuid: c.get('merchantUuid'), ...body })
      const response = { integrationId: created.integrationId }
      await recordSetting(trx, {
        ...{ ...by(c), what: 'integration connected', subject: created.integrationId },
        details: { source: body.source },
      })
      await storeIdempotentResponse(c, deps, trx, 201, response)
      return { response, outboxId: created.outboxId }
    })
    await deps.dispatch(outboxId)
    return c.json(response, 201)
  })

  routes.openapi(read, async (c) => {
    const integrationId = checkIntegrationId(c.req.valid('param').id)
    const { expand } = c.req.valid('query')
    const merchantUuid = c.get('merchantUuid')
    const found = await readIntegration(deps.db, { merchantUuid, integrationId })
    const [fields] = await shown(deps, { merchantUuid, expand }, [found])
    return c.json(fields as NonNullable<typeof fields>, 200)
  })

  routes.openapi(deactivate, async (c) => {
    const { integrationId: named, ...body } = c.req.valid('json')
    const integrationId = checkIntegrationId(c.req.valid('param').id)
    if (named !== undefined && named !== integrationId)
      throw new ApiError(400, 'validation_failed', 'integrationId: Must equal the id in the path')
    const { outboxId } = await deps.db.transaction().execute(async (trx) => {
      const asked = await deactivateIntegration(trx, {
        merchantUuid: c.get('merchantUuid'),
        integrationId,
        deactivation: toDeactivation(body),
        credentialId: c.get('principal').credentialId,
        now: deps.now?.() ?? new Date(),
      })
      await recordSetting(trx, {
        ...{ ...by(c), what: 'integration deactivation requested', subject: integrationId },
        details: body,
      })
      await storeIdempotentResponse(c, deps, trx, 200, undefined)
      return asked
    })
    await deps.dispatch(outboxId)
    return c.body(null, 200)
  })
  return routes
}

/** Who does it, for whom. */
const by = (c: Context<ApiEnv>) => ({
  merchantUuid: c.get('merchantUuid'),
  credentialId: c.get('principal').credentialId,
})

/** Integrations of a merchant in the fields of the interface, with their details on request. */
async function shown(
  deps: ApiDeps,
  { merchantUuid, expand }: { merchantUuid: string; expand: 'details' | undefined },
  found: readonly IntegrationRecord[],
) {
  const integrationIds = found.map(({ integrationId }) => integrationId)
  const details =
    expand && found.length > 0 ? await readIntegrationDetails(deps.db, { merchantUuid, integrationIds }) : new Map()
  return found.map((record) => {
    const own = details.get(record.integrationId)
    const path = `/v1/notifications/${record.integrationId}`
    const address = new URL(path, deps.publicUrl ?? DEFAULT_PUBLIC_URL).href
    return { ...integrationFields(record), ...(own && { details: detailFields(own, address) }) }
  })
}

/**
 * Rejects integrations that no adapter could serve, before anything is stored. @throws ApiError 400, 403; Refusal
 * integration_not_found
 */
function checkConnectable({ adapters, environment }: ApiDeps, body: IntegrationBody): void {
  const { source, parentIntegrationId } = body
  if (parentIntegrationId !== undefined && !isUuid(parentIntegrationId)) throw integrationNotFound()
  if (environment !== 'sandbox' && source === SANDBOX_SOURCE)
    throw new ApiError(403, 'sandbox_only', `${source} integrations exist in the sandbox environment only.`)
  refuseSecret({ adapters }, body)
}

/** Rejects a secret that no adapter could use. @throws ApiError 400 */
export function refuseSecret({ adapters }: Pick<ApiDeps, 'adapters'>, secret: SecretToCheck): void {
  const fault = faultOfSecret(adapters, secret)
  if (!fault) return
  const message = 'issues' in fault ? issuesSentence(fault.issues, ['secretPayload']) : fault.message
  throw new ApiError(400, fault.code, message)
}
