import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { integrationFields } from '../../../db/integrations/integration-fields.ts'
import { readIntegration } from '../../../db/integrations/integrations.ts'
import {
  awaitRotation,
  type RotationEnd,
  type RotationTarget,
  renameIntegration,
  requestRotation,
  rotationTarget,
} from '../../../db/integrations/secret-rotations.ts'
import { recordSetting } from '../../../db/settings/setting-events.ts'
import { SECRET_TYPES } from '../../../domain/integration.ts'
import { hasUnstorable } from '../../../domain/storable.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { success, writeErrors } from '../../http/responses.ts'
import { idempotencyKey, text } from '../../http/shapes.ts'
import { issuesSentence } from '../../http/validation.ts'
import { checkIntegrationId, integrationIdParam, secretPayloads } from './integration-body.ts'
import { integration, integrationExample } from './integration-shape.ts'
import { refuseSecret } from './integrations.ts'

const fields = ['integrationName', 'secretPayload', 'secretType'] as const

const body = z
  .strictObject({
    integrationName: text(255).optional().openapi({ description: 'The new name.', example: 'Stripe Europe' }),
    secretPayload: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({
        description:
          'The new secret, whole, with the fields of its secretType as in POST /integrations. When it names none of the ' +
          'fields that verify notifications, those of the old secret stay. Never shown again.',
        example: { apiKey: '<new restricted key of the same PSP account>' },
      }),
    secretType: z.enum(SECRET_TYPES).optional().openapi({
      description: 'Of secretPayload, where the PSP takes several; omitted: the type of the old secret.',
    }),
  })
  .refine((value) => fields.some((name) => value[name] !== undefined), {
    message: `Name what is to change: ${fields.join(', ')}`,
  })
  .refine(({ secretType, secretPayload }) => secretType === undefined || secretPayload !== undefined, {
    path: ['secretPayload'],
    message: 'Required with secretType',
  })
  .refine(({ secretPayload }) => !hasUnstorable(secretPayload), {
    path: ['secretPayload'],
    message: 'Invalid characters',
  })
  .openapi('IntegrationChange')

const change = createRoute({
  method: 'patch',
  path: '/integrations/{id}',
  operationId: 'updateIntegration',
  tags: ['Integrations'],
  summary: 'Rename an integration or replace its secret',
  description:
    'A new secret is checked at the PSP before the old one is given up, which takes up to 20 seconds; when it is refused, ' +
    'nothing changes. It must belong to the PSP account of the integration. After a replacement commands and polls under ' +
    'way end with either secret, a FAILED integration goes on where it stopped, the old secret is erased, and ' +
    'notifications that are signed with the old one are accepted for 24 hours more. Refusals (400) beyond validation: ' +
    '`integration_inactive`, `secret_type_not_accepted`, `configuration_invalid`, `secret_refused`, `permission_missing`, ' +
    '`other_environment`, `other_psp_account`, `psp_account_unconfirmed`, `psp_account_connected`. 409 `rotation_superseded`: another request ' +
    'replaces the secret. 503: the PSP, or what asks it, gave no verdict in time; nothing changes, also not later.',
  request: {
    headers: idempotencyKey,
    params: integrationIdParam,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: body,
          example: { secretPayload: { apiKey: '<new restricted key of the same PSP account>' } },
        },
      },
    },
  },
  responses: { 200: success('The integration as it is now', integration, integrationExample), ...writeErrors },
})

export function integrationChangeRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(change, async (c) => {
    const { secretPayload, secretType, integrationName } = c.req.valid('json')
    const which = { integrationId: checkIntegrationId(c.req.valid('param').id), merchantUuid: c.get('merchantUuid') }
    if (secretPayload === undefined) {
      const renamed = await deps.db.transaction().execute(async (trx) => {
        await renameIntegration(trx, { ...which, integrationName: integrationName as string })
        const { credentialId } = c.get('principal')
        const { integrationId: subject, merchantUuid } = which
        await recordSetting(trx, { merchantUuid, credentialId, what: 'integration renamed', subject })
        const response = integrationFields(await readIntegration(trx, which))
        await storeIdempotentResponse(c, deps, trx, 200, response)
        return response
      })
      return c.json(renamed, 200)
    }
    const target = await rotationTarget(deps.db, which)
    const secret = { secretType: secretType ?? target.secretType, secretPayload }
    checkSecret(deps, target, secret)
    const { credentialId } = c.get('principal')
    const request = { ...which, ...secret, integrationName, credentialId, seconds: deps.rotationSeconds }
    const { rotationId, outboxId } = await requestRotation(deps.db, deps.ring, request)
    await deps.dispatch(outboxId)
    refuseUnless(await awaitRotation(deps.db, rotationId))
    return c.json(integrationFields(await readIntegration(deps.db, which)), 200)
  })
  return routes
}

/** Checks a secret's fields here, so that a wrong one never reaches a worker. @throws ApiError 400 */
function checkSecret(
  deps: ApiDeps,
  target: RotationTarget,
  secret: { secretType: RotationTarget['secretType']; secretPayload: Record<string, unknown> },
): void {
  const shape = secretPayloads[secret.secretType].safeParse(secret.secretPayload)
  if (!shape.success && deps.adapters.adapterFor(target.source, secret.secretType))
    throw new ApiError(400, 'validation_failed', issuesSentence(shape.error.issues, ['secretPayload']))
  refuseSecret(deps, { ...target, ...secret })
}

/** @throws ApiError 400, 409, 503 unless the secret was replaced */
function refuseUnless({ outcome, code, reason }: RotationEnd): void {
  if (outcome === 'replaced') return
  if (outcome === 'refused') throw new ApiError(400, code ?? 'secret_refused', reason ?? 'The PSP refused the secret.')
  if (code !== null) throw new ApiError(409, code, reason ?? 'Another request took its place.', { 'retry-after': '1' })
  const sentence = 'The PSP could not judge the new secret in time, so the old one stays. Try again.'
  throw new ApiError(503, 'service_unavailable', sentence, { 'retry-after': '5' })
}
