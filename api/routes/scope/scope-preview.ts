import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { previewScopeRules } from '../../../db/scope-rules/scope-preview.ts'
import { EXAMPLES } from '../../../domain/previews/scope-preview.ts'
import { SCOPE_DIMENSIONS, type ScopeRules } from '../../../domain/scope.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { success, writeErrors } from '../../http/responses.ts'
import { envelope, idempotencyKey, ids } from '../../http/shapes.ts'
import { createBudget } from '../../limits/budget.ts'
import { checkIntegrationId, integrationIdParam } from '../integrations/integration-body.ts'
import { refuseUnknownWords, scopeSettings } from './scope-body.ts'

const total = {
  count: z.number().int().openapi({ description: 'Number of chargebacks.' }),
  amounts: z
    .array(
      z.object({
        currency: z.string().openapi({ description: 'Currency of the sum.' }),
        amount: z.string().openapi({
          description: 'Sum in units of the currency. A decimal as text, because a sum can exceed an exact number.',
        }),
      }),
    )
    .openapi({ description: 'One sum for each currency; nothing is converted.' }),
}

const reason = z.object({
  dimension: z.enum(SCOPE_DIMENSIONS).optional().openapi({ description: 'Dimension of the rule that is the reason.' }),
  value: z.string().optional().openapi({ description: 'Word of the rule; absent for `chargebackAmount`.' }),
  reason: z.string().optional().openapi({ description: 'The reason, if it is no rule.' }),
  ...total,
})

const share = z
  .object({
    ...total,
    reasons: z.array(reason).openapi({ description: 'The same chargebacks by reason, most of them first.' }),
    examples: z
      .array(ids.chargeback)
      .openapi({ description: `At most ${EXAMPLES} of them, latest due date first.`, maxItems: EXAMPLES }),
  })
  .openapi('ScopePreviewShare')
const shareOf = (description: string) => share.openapi({ description })

const example = {
  status: 200,
  message: 'Scope preview',
  data: {
    leaves: {
      count: 2,
      amounts: [{ currency: 'EUR', amount: '191.2' }],
      reasons: [{ dimension: 'cardSchemes', value: 'amex', count: 2, amounts: [{ currency: 'EUR', amount: '191.2' }] }],
      examples: ['0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d11', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'],
    },
    returns: { count: 0, amounts: [], reasons: [], examples: [] },
    untouched: {
      count: 1,
      amounts: [{ currency: 'EUR', amount: '20' }],
      reasons: [
        {
          reason: 'An evidence submission is in progress.',
          count: 1,
          amounts: [{ currency: 'EUR', amount: '20' }],
        },
      ],
      examples: ['0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d12'],
    },
  },
}

const preview = createRoute({
  method: 'post',
  path: '/integrations/{id}/scope-settings/preview',
  operationId: 'previewScopeSettings',
  tags: ['Scope settings'],
  summary: 'Try out what new out-of-scope rules would change',
  description:
    'A dry run with the body that replaces the rules: counts what would happen to each chargeback of the integration ' +
    'that can still change (PSP status `needs_response` or `unknown`), by the decision that follows the change. Nothing ' +
    'changes. The numbers are of this moment: a poll, a client or the clock can move a chargeback before the change. ' +
    '409 `preview_in_progress`: another preview of the merchant is being made.',
  request: {
    headers: idempotencyKey,
    params: integrationIdParam,
    body: { required: true, content: { 'application/json': { schema: scopeSettings } } },
  },
  responses: {
    200: success(
      'What the rules would change',
      z
        .object({
          ...envelope,
          data: z
            .object({
              leaves: shareOf('Would become `not_represented`. Reasons: why, from then on.'),
              returns: shareOf('Would be handled again. Reasons: why they are set aside until then.'),
              untouched: shareOf(
                'Would stay in or out of scope. Reasons: of their status, or the command in progress.',
              ),
            })
            .openapi({ description: 'The chargebacks that can still change; each is counted once.' }),
        })
        .openapi('ScopePreviewRead'),
      example,
    ),
    ...writeErrors,
  },
})

const previewInProgress = () =>
  new ApiError(
    409,
    'preview_in_progress',
    'Another preview of this merchant is being made. Try again when it is done.',
    {
      'retry-after': '1',
    },
  )

export function scopePreviewRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()
  const running = createBudget(Number.MAX_SAFE_INTEGER)

  routes.openapi(
    preview,
    async (c) => {
      const integrationId = checkIntegrationId(c.req.valid('param').id)
      const merchantUuid = c.get('merchantUuid')
      // Each chargeback costs processor time of this process, which serves other merchants too.
      const release = running.take(1, { [merchantUuid]: 1 })
      if (!release) throw previewInProgress()
      try {
        const rules = c.req.valid('json') as ScopeRules
        const now = deps.now?.() ?? new Date()
        const data = await previewScopeRules(deps.db, { merchantUuid, integrationId, rules, now })
        return c.json({ status: 200, message: 'Scope preview', data }, 200)
      } finally {
        release()
      }
    },
    // Its types would hide those of the route.
    refuseUnknownWords(deps) as never,
  )
  return routes
}
