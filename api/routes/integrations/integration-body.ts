import { z } from '@hono/zod-openapi'
import { sources } from '../../../adapters/registry.ts'
import { isUuid } from '../../../domain/ids.ts'
import { SECRET_TYPES, type SecretType } from '../../../domain/integration.ts'
import { hasUnstorable } from '../../../domain/storable.ts'
import { ApiError } from '../../http/errors.ts'
import { dateTime, id, ids, text } from '../../http/shapes.ts'

const field = text(8192)

/**
 * Fields of each secretType, as the interface defines them. Additional keys are stored with the secret and never shown.
 */
export const secretPayloads = {
  APIKEY_ONLY: z.looseObject({ apiKey: field }),
  PUBLIC_SECRET_KEY: z.looseObject({ secretKey: field, publicKey: field.optional() }),
  BASIC_AUTH: z.looseObject({ clientId: field, clientSecret: field }),
  USERNAME_PASSWORD: z.looseObject({ username: field, password: field }),
  HMAC: z.looseObject({
    hmac: field,
    apiKey: field,
    merchantCode: field.optional(),
    accountCode: field.optional(),
  }),
  APIKEY: z.looseObject({ apiKey: field, storeUrl: field.optional(), shopName: field.optional() }),
} satisfies Record<SecretType, z.ZodType>

/** A field of the secret payload, validated even if another part of the body is invalid. */
function secretField(name: string) {
  const faultOf = (value: unknown): string | undefined => {
    const { secretType, secretPayload } = (value ?? {}) as { secretType?: unknown; secretPayload?: unknown }
    // `constructor` and other properties of Object are no types.
    const type = SECRET_TYPES.find((known) => known === secretType)
    const issues = type && secretPayloads[type].safeParse(secretPayload).error?.issues
    const issue = issues?.find(({ path }) => path[0] === name)
    return issue && said(issue)
  }
  const refusal = {
    path: ['secretPayload', name],
    error: ({ input }: { input?: unknown }) => faultOf(input) ?? 'Invalid',
    when: () => true,
  }
  return [(value: unknown) => faultOf(value) === undefined, refusal] as const
}

const body = z
  .strictObject({
    externalIdentifier: text(255).openapi({
      description: 'The account at the PSP: for Stripe the account id, for Braintree the merchant id.',
      example: 'acct_1032D82eZvKYlo2C',
    }),
    integrationName: text(255).openapi({ description: 'Your own name for the integration.', example: 'Stripe Europe' }),
    source: z.enum(sources()).openapi({ description: 'The PSP.' }),
    secretType: z.enum(SECRET_TYPES).openapi({ description: 'Kind of the credential; each PSP has its own kinds.' }),
    secretPayload: z.record(z.string(), z.unknown()).openapi({
      description: `The fields of the secretType. ${Object.entries(secretPayloads)
        .map(([type, schema]) => `${type}: ${fieldList(schema)}`)
        .join('; ')}. Never shown again.`,
      example: { apiKey: '<restricted key of the PSP>' },
    }),
    goLiveDate: dateTime
      .nullable()
      .optional()
      .openapi({
        type: ['string', 'null'],
        description:
          'Omitted: live as soon as it is verified, history included. Null: waits for the operator. Chargebacks posted ' +
          'before the date are readable but not handled.',
      }),
    merchantAccountCodes: z
      .array(text(255))
      .max(100)
      .optional()
      .openapi({ description: 'Accounts below the PSP account that belong to this merchant.' }),
    parentIntegrationId: id.optional().openapi({
      description: 'An integration of the same merchant whose out-of-scope rules are copied once.',
    }),
  })
  .refine(({ secretPayload }) => !hasUnstorable(secretPayload), {
    path: ['secretPayload'],
    message: 'Invalid characters',
  })

/** Names of the fields of all secretTypes. */
const secretFields = [...new Set(Object.values(secretPayloads).flatMap((schema) => Object.keys(schema.shape)))]

/** Body of operation 17. Unknown keys are rejected by name, and secret errors are reported together with all others. */
export const integrationBody = secretFields
  .reduce((schema, name) => schema.refine(...secretField(name)), body)
  .openapi('IntegrationCreation')

export type IntegrationBody = z.infer<typeof integrationBody>
export const integrationIdParam = z.object({ id: ids.integration })

/** Distinguishes a malformed id from an unknown one. @throws ApiError 400 */
export function checkIntegrationId(integrationId: string): string {
  if (!isUuid(integrationId)) throw new ApiError(400, 'validation_failed', 'id: Must be a UUID')
  return integrationId
}

const said = (issue: { code: string; message: string }) =>
  issue.code === 'invalid_type' && issue.message.endsWith('received undefined') ? 'Required' : issue.message

function fieldList(schema: (typeof secretPayloads)[SecretType]): string {
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .map(([name, type]) => (type.safeParse(undefined).success ? `${name} (optional)` : name))
    .join(', ')
}
