import { z } from '@hono/zod-openapi'
import { UNSTORABLE } from '../../domain/storable.ts'

export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !UNSTORABLE.test(value), 'Invalid characters')

/** As `text`, but may be empty. */
export const freeText = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !UNSTORABLE.test(value), 'Invalid characters')

/** Lower-cased, because seal contexts and rate limit keys compare it as text. */
export const id = z.string().toLowerCase().openapi({ format: 'uuid', example: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10' })

/** A time in a request: ISO 8601 with its offset or Z. */
export const dateTime = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 date-time, for example 2026-01-31T00:00:00Z' })
  .transform((value) => new Date(value))
  .openapi({ type: 'string', format: 'date-time', example: '2026-01-31T00:00:00Z' })

/** More values of one parameter than a person or a program means. */
const MOST_VALUES = 100

/** One or several values: the parameter repeated, or the values with commas between them. Sorted, each once. */
const several = (isValid: (value: string) => boolean, message: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [...new Set([given].flat().flatMap((one) => one.split(',')))].sort())
    .refine((values) => values.length <= MOST_VALUES, `Must have at most ${MOST_VALUES} values`)
    .refine((values) => values.length > MOST_VALUES || values.every(isValid), message)

/** Several of a fixed set of words. */
export const severalOf = <const Word extends string>(words: readonly Word[]) =>
  several((value) => (words as readonly string[]).includes(value), `Must be among ${words.join(', ')}`)
    .transform((values) => values as Word[])
    .optional()
    .openapi({ type: 'array', items: { type: 'string', enum: [...words] } })

/** Several words of a form. */
export const severalWords = (form: RegExp, message: string) =>
  several((value) => form.test(value), message)
    .optional()
    .openapi({ type: 'array', items: { type: 'string', pattern: form.source } })

/** A time in a response: UTC, milliseconds. */
export const timestamp = z.string().openapi({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' })

/** Fields of every response envelope. */
export const envelope = {
  status: z.number().int().openapi({ description: 'HTTP status code.', example: 200 }),
  message: z.string().openapi({ description: 'What was done, in a few words.' }),
}
export const hasMore = z.boolean().openapi({ description: 'Whether more items remain after this page.' })

const identified = (description: string) => id.openapi({ description })
/** Ids of resources, in requests and responses. */
export const ids = {
  chargeback: identified('Id of the chargeback, assigned by the service.'),
  integration: identified('Id of the integration, assigned by the service.'),
  merchant: identified('Id of the merchant, assigned by the service.'),
  file: identified('Id of the uploaded file.'),
  submission: identified('Id of the evidence submission.'),
}
export const referenceAccountId = z.string().openapi({ description: 'The referenceId of the merchant.' })

/** The offset of this page, at 100 items, still fits Postgres' bigint. */
const LAST_PAGE = 999_999_999_999_999
const PAGE_WORDS = `Must be an integer from 1 to ${LAST_PAGE}`

const integerText = (words: string) => z.string().regex(/^\d{1,15}$/, words)

export const paging = {
  limit: integerText('Must be an integer from 10 to 100')
    .transform(Number)
    .refine((value) => value >= 10 && value <= 100, 'Must be an integer from 10 to 100')
    .default(10)
    .openapi({ type: 'integer', minimum: 10, maximum: 100, default: 10, description: 'Items per page.' }),
  page: integerText(PAGE_WORDS)
    .transform(Number)
    .refine((value) => value >= 1, PAGE_WORDS)
    .default(1)
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: LAST_PAGE,
      default: 1,
      description: 'Page of the list, from 1 on. Far into a long list, a cursor is faster where there is one.',
    }),
}

/** The lower bound of a range must not exceed the upper one; reported with the other errors. */
export function ordered(low: string, high: string) {
  const check = (value: object): boolean => {
    const { [low]: from, [high]: to } = value as Record<string, unknown>
    return from === undefined || to === undefined || !(Number(from) > Number(to))
  }
  const refusal = { path: [low], message: `Must not be above ${high}`, when: () => true }
  return [check, refusal] as const
}

export const selector = z.object({
  'reference-account-id': z
    .string()
    .optional()
    .openapi({
      description:
        'Selects the merchant within the scope of the credential, by its referenceId or merchantUuid. Required for a ' +
        'group credential, and for an account credential when the account has more than one merchant.',
      pattern: '^[!-~]([ -~]*[!-~])?$',
      example: 'demo-shop',
    }),
})

/** Headers of reads with an entity tag. */
export const conditional = selector.extend({
  'if-none-match': z.string().optional().openapi({
    description: 'Entity tags of earlier responses, or `*`: 304 without a body while one of them is the latest.',
    pattern: '^(\\*|(W/)?"[^"]*"(\\s*,\\s*(W/)?"[^"]*")*)$',
    example: '"0198c5a4-7777-7d60-9a55-2f4b1f6f7d10-3"',
  }),
})

export const idempotencyKey = selector.extend({
  'idempotency-key': z
    .string()
    .optional()
    .openapi({
      description:
        'One to 255 printable characters. The same key with the same request answers the same for 24 hours and does ' +
        'nothing twice; with another request it is refused. JSON is the same whatever its white space and order of keys.',
      pattern: '^[!-~]([ -~]{0,253}[!-~])?$',
      example: 'b9a6a6d2-accept-1',
    }),
})

/** Headers of what a person decides after reading the chargeback. */
export const decidingHeaders = idempotencyKey.extend({
  'if-match': z.string().optional().openapi({
    description:
      'Entity tag of `GET /chargebacks/{id}`, with or without `expand`: 412 and no effect when the chargeback has changed since.',
    pattern: '^(\\*|(W/)?"[^"]*"(\\s*,\\s*(W/)?"[^"]*")*)$',
    example: '"k3Vn0cWJtq1mZ8rYd2Hx5A"',
  }),
})

/** Headers of account-level operations, which ignore the selector. */
export const accountIdempotencyKey = idempotencyKey.omit({ 'reference-account-id': true })

export const createResponse = z
  .object({
    ...envelope,
    id: z.string().openapi({ description: 'Id of the created or updated resource.' }),
  })
  .openapi('CreateResponse')
