import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { AdapterDefinition, SecretSchema } from '../../../adapters/contract.ts'
import { adapters, sources } from '../../../adapters/registry.ts'
import { SANDBOX_SOURCE } from '../../../domain/chargeback.ts'
import { SECRET_TYPES, type SecretType } from '../../../domain/integration.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { envelope, selector } from '../../http/shapes.ts'

const words = (description: string) => z.string().openapi({ description })

const option = z
  .object({
    source: z.enum(sources()).openapi({ description: 'The PSP.' }),
    displayName: words('Name of the PSP.'),
    externalIdentifier: z
      .object({
        title: words('Name of the account’s identifier at the PSP.'),
        description: words('Where to find it.'),
        example: words('How one looks.').optional(),
      })
      .openapi({ description: 'Words for `externalIdentifier`.' }),
    secretTypes: z
      .array(
        z.object({
          secretType: z.enum(SECRET_TYPES).openapi({ description: 'Kind of the credential.' }),
          schema: z.record(z.string(), z.unknown()).openapi({
            description:
              'JSON Schema of `secretPayload`: each property has the PSP’s `title` and where to find it ' +
              '(`description`); `writeOnly` ones are secret, `deprecated` ones need not be asked for.',
          }),
          notificationFields: z
            .array(z.string())
            .openapi({ description: 'Properties that verify notifications: they may be added later.' }),
        }),
      )
      .openapi({ description: 'Kinds of credentials that the PSP takes.' }),
    permissions: z
      .array(z.string())
      .openapi({ description: 'What the credential must be allowed, in the PSP’s words.' }),
    webhook: z
      .object({
        where: words('Where a webhook is made at the PSP.'),
        events: z.array(z.string()).openapi({ description: 'What it must send.' }),
      })
      .optional()
      .openapi({ description: 'Absent: the PSP sends no notifications that Recoup reads.' }),
  })
  .openapi('IntegrationOption')

const list = createRoute({
  method: 'get',
  path: '/integrations/options',
  operationId: 'listIntegrationOptions',
  tags: ['Integrations'],
  summary: 'List the PSPs that can be connected',
  description: 'For a form: the fields of each credential with the words of the PSP. The same for every merchant.',
  request: { headers: selector },
  responses: {
    200: success(
      'The PSPs',
      z
        .object({ ...envelope, data: z.array(option).openapi({ description: 'The PSPs.' }) })
        .openapi('IntegrationOptions'),
      { status: 200, message: 'Integration options', data: adapters().slice(0, 1).map(optionOf) },
    ),
    ...readErrors,
  },
})

export function integrationOptionRoutes({ environment }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()
  const offered = adapters().filter(({ source }) => environment === 'sandbox' || source !== SANDBOX_SOURCE)
  const data = offered.map(optionOf)

  routes.openapi(list, async (c) => c.json({ status: 200, message: 'Integration options', data }, 200))
  return routes
}

function optionOf({ source, displayName, secrets, guide }: AdapterDefinition): z.infer<typeof option> {
  const types = Object.entries(secrets) as [SecretType, SecretSchema<unknown>][]
  return {
    source,
    displayName,
    externalIdentifier: guide?.identifier ?? { title: 'externalIdentifier', description: 'The account at the PSP.' },
    secretTypes: types.map(([secretType, secret]) => ({
      secretType,
      schema: schemaOf(secret, guide?.needs ?? []),
      notificationFields: [...secret.notificationFields],
    })),
    permissions: [...(guide?.permissions ?? [])],
    ...(guide?.webhook && { webhook: { where: guide.webhook.where, events: [...guide.webhook.events] } }),
  }
}

function schemaOf({ schema, secretFields }: SecretSchema<unknown>, needs: readonly string[]): Record<string, unknown> {
  const {
    properties = {},
    required = [],
    ...rest
  } = z.toJSONSchema(schema, { io: 'input' }) as {
    properties?: Record<string, object>
    required?: string[]
  }
  const marked = Object.entries(properties).map(([name, property]) => [
    name,
    { ...property, ...(secretFields.includes(name) && { writeOnly: true }) },
  ])
  return { ...rest, properties: Object.fromEntries(marked), required: [...new Set([...required, ...needs])] }
}
