import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { readScopeRules, saveScopeRules, seenReasonCodes } from '../../../db/scope-rules/scope-settings.ts'
import type { ScopeRules } from '../../../domain/scope.ts'
import { scopeOptions, WORD_DIMENSIONS } from '../../../domain/scope-options.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { isUnchanged, versionOf } from '../../http/etag.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, successVersioned, writeErrors } from '../../http/responses.ts'
import { conditional, createResponse, envelope, idempotencyKey } from '../../http/shapes.ts'
import { checkIntegrationId, integrationIdParam } from '../integrations/integration-body.ts'
import { refuseUnknownWords, scopeSettings } from './scope-body.ts'

const single = <Schema extends z.ZodType>(data: Schema) =>
  z.object({ ...envelope, data: data.openapi({ description: 'The values by dimension.' }) })

const replace = createRoute({
  method: 'put',
  path: '/integrations/{id}/scope-settings',
  operationId: 'replaceScopeSettings',
  tags: ['Scope settings'],
  summary: 'Replace the out-of-scope rules of an integration',
  description:
    'Every dimension is written, and one that is omitted or empty is cleared: `{}` clears all six. A chargeback that any ' +
    'dimension names is not represented, unless a client decided to fight it. The integration’s chargebacks that can ' +
    'still change are evaluated again in the background: a rule that is gone brings them back, a new one takes them out. ' +
    'Integrations that were created from this one keep their own rules.',
  request: {
    headers: idempotencyKey,
    params: integrationIdParam,
    body: { required: true, content: { 'application/json': { schema: scopeSettings } } },
  },
  responses: {
    200: success('The rules are stored', createResponse, {
      status: 200,
      message: 'Scope settings saved',
      id: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10',
    }),
    ...writeErrors,
  },
})

const read = createRoute({
  method: 'get',
  path: '/integrations/{id}/scope-settings',
  operationId: 'readScopeSettings',
  tags: ['Scope settings'],
  summary: 'Read the out-of-scope rules of an integration',
  description: 'As the body that replaces them takes them; dimensions without a rule are empty. ETag: their version.',
  request: { headers: conditional, params: integrationIdParam },
  responses: {
    ...successVersioned('The rules', single(scopeSettings).openapi('ScopeSettingsRead'), {
      status: 200,
      message: 'Scope settings',
      data: {
        paymentMethods: [],
        cardSchemes: ['amex'],
        lifecycleStages: [],
        reasonGroups: [],
        reasonCodes: [],
        chargebackAmount: { min: 20 },
      },
    }),
    ...readErrors,
  },
})

const words = (description: string) => z.array(z.string()).openapi({ description })
const options = createRoute({
  method: 'get',
  path: '/scope-settings/options',
  operationId: 'listScopeOptions',
  tags: ['Scope settings'],
  summary: 'List what out-of-scope rules may name',
  description: 'Sorted. The reason codes are those of the networks and those of the merchant’s own chargebacks.',
  request: { headers: conditional },
  responses: {
    ...successVersioned(
      'The accepted values of each dimension',
      single(
        z
          .object({
            paymentMethods: words('Payment methods.'),
            cardSchemes: words('Card schemes.'),
            lifecycleStages: words('Lifecycle stages.'),
            reasonGroups: words('Groups of reason codes.'),
            reasonCodes: words('Reason codes.'),
          })
          .openapi('ScopeOptions'),
      ),
      { status: 200, message: 'Scope options', data: scopeOptions([]) },
    ),
    ...readErrors,
  },
})

export function scopeSettingsRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(
    replace,
    async (c) => {
      const integrationId = checkIntegrationId(c.req.valid('param').id)
      const response = { status: 200, message: 'Scope settings saved', id: integrationId }
      const { outboxId } = await deps.db.transaction().execute(async (trx) => {
        const saved = await saveScopeRules(trx, {
          merchantUuid: c.get('merchantUuid'),
          integrationId,
          credentialId: c.get('principal').credentialId,
          rules: c.req.valid('json') as ScopeRules,
        })
        await storeIdempotentResponse(c, deps, trx, 200, response)
        return saved
      })
      if (outboxId !== null) await deps.dispatch(outboxId)
      return c.json(response, 200)
    },
    // Its types would hide those of the route.
    refuseUnknownWords(deps) as never,
  )

  routes.openapi(read, async (c) => {
    const integrationId = checkIntegrationId(c.req.valid('param').id)
    const found = await readScopeRules(deps.db, { merchantUuid: c.get('merchantUuid'), integrationId })
    if (isUnchanged(c, `${integrationId}-${found.version}`)) return c.body(null, 304) as never
    const { chargebackAmount } = found.rules
    const lists = Object.fromEntries(WORD_DIMENSIONS.map((name) => [name, [...(found.rules[name] ?? [])]]))
    const data = { ...lists, ...(chargebackAmount && { chargebackAmount }) }
    return c.json({ status: 200, message: 'Scope settings', data }, 200)
  })

  routes.openapi(options, async (c) => {
    const seen = await seenReasonCodes(deps.db, { merchantUuid: c.get('merchantUuid') })
    const data = scopeOptions(seen)
    if (isUnchanged(c, versionOf(data))) return c.body(null, 304) as never
    return c.json({ status: 200, message: 'Scope options', data } as never, 200)
  })
  return routes
}
