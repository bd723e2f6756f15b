import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { readCredential } from '../../../db/merchants/credentials.ts'
import { reachableMerchants } from '../../../db/merchants/merchants.ts'
import { CREDENTIAL_ROLES, CREDENTIAL_SCOPES } from '../../../domain/accounts/credential.ts'
import { ENVIRONMENTS } from '../../../domain/integration.ts'
import { rejections } from '../../auth/auth.ts'
import type { Principal } from '../../auth/principal.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { envelope, ids, timestamp } from '../../http/shapes.ts'

/** Merchants that are named. */
const MOST = 1_000

const me = z
  .object({
    credentialId: z.string().openapi({ format: 'uuid', description: 'Id of the credential, as the timeline has it.' }),
    name: z.string().openapi({ description: 'Name that an operator gave the credential.' }),
    scope: z.enum(CREDENTIAL_SCOPES).openapi({ description: 'What the credential covers.' }),
    role: z.enum(CREDENTIAL_ROLES).openapi({ description: 'What the credential may do.' }),
    environment: z.enum(ENVIRONMENTS).openapi({ description: 'Environment of the service.' }),
    expiresAt: timestamp.openapi({ description: 'End of the credential.' }),
    merchants: z
      .array(
        z.object({
          merchantUuid: ids.merchant,
          referenceId: z.string().openapi({ description: 'What the header reference-account-id takes.' }),
          merchantName: z.string().openapi({ description: 'Name of the merchant.' }),
        }),
      )
      .openapi({ description: `Merchants that the credential may act on, by name: the first ${MOST}.` }),
    hasMore: z.boolean().openapi({ description: 'Whether there are more merchants.' }),
  })
  .openapi('Me')

const read = createRoute({
  method: 'get',
  path: '/me',
  operationId: 'readMe',
  tags: ['Merchants'],
  summary: 'Read who sends the request',
  description:
    'The credential and the merchants that it may act on. For credentials of every scope; reference-account-id is ignored.',
  request: {},
  responses: {
    200: success(
      'The credential',
      z.object({ ...envelope, data: me.openapi({ description: 'The credential.' }) }).openapi('MeRead'),
      {
        status: 200,
        message: 'Credential retrieved',
        data: {
          credentialId: '0198c5a4-9999-7d60-9a55-2f4b1f6f7d10',
          name: 'Jana',
          scope: 'merchant',
          role: 'work',
          environment: 'sandbox',
          expiresAt: '2026-04-30T09:30:00.000Z',
          merchants: [
            {
              merchantUuid: '0198c5a4-2222-7d60-9a55-2f4b1f6f7d10',
              referenceId: 'demo-shop',
              merchantName: 'Demo Shop',
            },
          ],
          hasMore: false,
        },
      },
    ),
    ...readErrors,
  },
})

export function meRoutes(deps: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(read, async (c) => {
    const data = await describeCaller(deps, c.get('principal'))
    return c.json({ status: 200, message: 'Credential retrieved', data }, 200)
  })
  return routes
}

/** In the scope of the caller's account. @throws ApiError 401 when its credential is gone */
export async function describeCaller({ db, environment }: Pick<ApiDeps, 'db' | 'environment'>, principal: Principal) {
  const credential = await readCredential(db, principal.credentialId)
  if (!credential) throw rejections.invalid()
  const merchants = await reachableMerchants(db, principal, MOST + 1)
  const { credentialId, name, scope, role, expiresAt } = credential
  return {
    ...{ credentialId, name, scope, role, environment, expiresAt: expiresAt.toISOString() },
    merchants: merchants.slice(0, MOST),
    hasMore: merchants.length > MOST,
  }
}
