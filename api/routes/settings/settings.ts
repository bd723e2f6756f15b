import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import { openCases } from '../../../db/packages/automatic.ts'
import {
  changeMerchantPolicy,
  type MerchantSettings,
  readMerchantSettings,
} from '../../../db/settings/merchant-settings.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'
import { type AutomaticPolicy, faultOfPolicy } from '../../../domain/evidence/package/automatic-policy.ts'
import { previewPolicy } from '../../../domain/previews/policy-preview.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, writeErrors } from '../../http/responses.ts'
import { idempotencyKey, selector } from '../../http/shapes.ts'
import { previewExample, settingsBody, settingsExample, settingsPreview, settingsRead } from './settings-shape.ts'

/** Chargebacks that a preview looks at. */
const MOST_LOOKED_AT = 1_000

const read = createRoute({
  method: 'get',
  path: '/settings',
  operationId: 'readSettings',
  tags: ['Settings'],
  summary: 'Read what Recoup does by itself for a merchant',
  description: 'The policy of automatic submission, and the settings of the account that decide about evidence.',
  request: { headers: selector },
  responses: { 200: success('The settings', settingsRead, settingsExample), ...readErrors },
})

const body = {
  required: true,
  content: {
    'application/json': {
      schema: settingsBody,
      example: { automaticSubmission: { mode: 'auto' as const, minCompleteness: 0.8 } },
    },
  },
}

const change = createRoute({
  method: 'patch',
  path: '/settings',
  operationId: 'updateSettings',
  tags: ['Settings'],
  summary: 'Change the automatic submission of a merchant',
  description:
    'Replaces the merchant’s own settings as a whole: what is absent is the account’s. Refusal (400) beyond validation: ' +
    '`policy_impossible`, when evidence is built later than it would be submitted.',
  request: { headers: idempotencyKey, body },
  responses: {
    200: success('The settings as they are now', settingsRead, { ...settingsExample, message: 'Settings saved' }),
    ...writeErrors,
  },
})

const preview = createRoute({
  method: 'post',
  path: '/settings/preview',
  operationId: 'previewSettings',
  tags: ['Settings'],
  summary: 'Try out an automatic submission',
  description:
    'A dry run with the body that changes the settings: what would be submitted of the chargebacks that wait for a response, ' +
    'and what stops the others, as they are now. Nothing changes. Refusal (400) beyond validation: `policy_impossible`.',
  request: { headers: idempotencyKey, body },
  responses: { 200: success('What the policy would do', settingsPreview, previewExample), ...writeErrors },
})

export function settingsRoutes(deps: ApiDeps) {
  const { db, adapters } = deps
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(read, async (c) => {
    const data = shown(await readMerchantSettings(db, c.get('merchantUuid')))
    return c.json({ status: 200, message: 'Settings retrieved', data }, 200)
  })

  routes.openapi(change, async (c) => {
    const { automaticSubmission: given } = c.req.valid('json')
    const merchantUuid = c.get('merchantUuid')
    const { credentialId } = c.get('principal')
    const own = Object.keys(given).length > 0 ? given : null
    const response = await db.transaction().execute(async (trx) => {
      await changeMerchantPolicy(trx, { merchantUuid, credentialId, own })
      const data = shown(await readMerchantSettings(trx, merchantUuid))
      const response = { status: 200, message: 'Settings saved', data }
      await storeIdempotentResponse(c, deps, trx, 200, response)
      return response
    })
    return c.json(response, 200)
  })

  routes.openapi(preview, async (c) => {
    const { automaticSubmission: given } = c.req.valid('json')
    const merchantUuid = c.get('merchantUuid')
    const now = deps.now?.() ?? new Date()
    const { settings, ofAccount } = await readMerchantSettings(db, merchantUuid)
    const policy = { ...ofAccount, ...given } as AutomaticPolicy
    const fault = faultOfPolicy(policy, settings.dataWindowHours)
    if (fault) throw new ApiError(400, 'policy_impossible', fault)
    const found = await openCases(db, { merchantUuid, now, limit: MOST_LOOKED_AT + 1 })
    const subjects = found.slice(0, MOST_LOOKED_AT).map(({ chargebackId: id, psp, facts, source, secretType }) => ({
      ...{ id, psp, facts },
      contestStages: answerStages(adapters.adapterFor(source, secretType)?.capabilities.contest),
    }))
    const data = { ...previewPolicy(subjects, policy, now), complete: found.length <= MOST_LOOKED_AT }
    return c.json({ status: 200, message: 'Settings preview', data }, 200)
  })
  return routes
}

function shown({ policy, own, settings }: MerchantSettings) {
  const { plays, minAmount, ...rest } = policy
  const { represent, enrichmentThreshold, dataWindowHours } = settings
  return {
    automaticSubmission: { ...rest, minAmount: { ...minAmount }, ...(plays && { plays: [...plays] }) },
    ownAutomaticSubmission: (own ?? {}) as object,
    represent,
    enrichmentThreshold,
    dataWindowHours,
  }
}
