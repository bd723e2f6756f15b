import { type Hook, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { seenReasonCodes } from '../../../db/scope-rules/scope-settings.ts'
import { REASON_CODES } from '../../../domain/reason-codes.ts'
import { FIXED_OPTIONS, type WordDimension } from '../../../domain/scope-options.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { text } from '../../http/shapes.ts'
import { type Issue, issuesSentence } from '../../http/validation.ts'

/** More than all options together. */
const MAX_WORDS = 1_000
/** Checked before the elements, because each invalid element becomes an issue. */
const words = z.custom<unknown[]>(
  (given) => !Array.isArray(given) || given.length <= MAX_WORDS,
  `Must have at most ${MAX_WORDS} entries`,
)

/** Values of a dimension with a fixed list; each invalid one is named. */
const oneOf = (dimension: Exclude<WordDimension, 'reasonCodes'>, description: string, example: string[]) =>
  words
    .pipe(
      z.array(
        text(255).refine((value) => FIXED_OPTIONS[dimension].includes(value), {
          error: ({ input }) => notAnOption(input),
        }),
      ),
    )
    .optional()
    .openapi({ type: 'array', items: { type: 'string', enum: [...FIXED_OPTIONS[dimension]] }, description, example })

/** The message shows the value, so that the client finds it among many. */
const notAnOption = (value: unknown) =>
  `${JSON.stringify(String(value).slice(0, 100))} is not one of the options of GET /scope-settings/options`

const bound = (description: string) => z.number().min(0).optional().openapi({ description })
const amount = z
  .strictObject({ min: bound('Smallest amount in scope.'), max: bound('Largest amount in scope.') })
  .refine(({ min, max }) => min !== undefined || max !== undefined, 'Give min, max or both')
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
    path: ['min'],
    error: 'Must not be above max',
  })

/**
 * Body of operation 22, and response of its read. The operation itself checks reason codes, because the valid ones
 * depend on the merchant.
 */
export const scopeSettings = z
  .strictObject({
    paymentMethods: oneOf('paymentMethods', 'Payment methods that are out of scope.', ['klarna']),
    cardSchemes: oneOf('cardSchemes', 'Card schemes that are out of scope.', ['amex', 'discover']),
    lifecycleStages: oneOf('lifecycleStages', 'Lifecycle stages that are out of scope.', ['inquiry']),
    reasonGroups: oneOf('reasonGroups', 'Groups of reason codes that are out of scope.', ['compliance']),
    reasonCodes: words
      .pipe(z.array(text(255)))
      .optional()
      .openapi({
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 255 },
        description: 'Codes of the networks, and those of the merchant’s own chargebacks.',
        example: ['13.1', '4853'],
      }),
    chargebackAmount: amount.optional().openapi({
      description:
        'Chargebacks strictly below min or strictly above max are out of scope, in units of the currency of the chargeback. ' +
        'At least one of the two.',
      example: { min: 20, max: 5000 },
    }),
  })
  .openapi('ScopeSettings')

/** An unknown reason code is reported with the other errors of the body. */
// biome-ignore lint/suspicious/noExplicitAny: as every hook of the validation
export const refuseUnknownWords = (deps: ApiDeps): Hook<any, ApiEnv, any, any> => {
  return async (result, c) => {
    const issues: Issue[] = result.success ? [] : (result.error.issues as Issue[])
    const body = result.target === 'json' ? await givenBody(c) : null
    const unknown = await unknownReasonCodes(deps, c.get('merchantUuid'), body)
    if (issues.length + unknown.length > 0)
      throw new ApiError(400, 'validation_failed', issuesSentence([...issues, ...unknown]))
  }
}

/** An absent body without a content type would be read as `{}`, which clears all rules. @throws ApiError 400 */
async function givenBody(c: Context<ApiEnv>): Promise<unknown> {
  if ((await c.req.text()) === '') throw new ApiError(400, 'malformed_json', 'The body is not valid JSON.')
  return c.req.json()
}

/** Codes of no card scheme and of no chargeback of the merchant. */
async function unknownReasonCodes(deps: ApiDeps, merchantUuid: string, body: unknown): Promise<Issue[]> {
  const given = (body as { reasonCodes?: unknown } | null)?.reasonCodes
  if (!Array.isArray(given)) return []
  const asked = given.map((code, index) => ({ code, index })).filter(({ code }) => isPossible(code))
  const foreign = asked.filter(({ code }) => !REASON_CODES.includes(code))
  if (foreign.length === 0) return []
  const seen = new Set(await seenReasonCodes(deps.db, { merchantUuid, among: foreign.map(({ code }) => code) }))
  return foreign
    .filter(({ code }) => !seen.has(code))
    .map(({ code, index }) => ({ path: ['reasonCodes', index], message: notAnOption(code) }))
}

/** Skips values that the schema of the body rejects anyway. */
const isPossible = (code: unknown): code is string =>
  typeof code === 'string' && code.length > 0 && code.length <= 255 && !/\0|\p{Surrogate}/u.test(code)
