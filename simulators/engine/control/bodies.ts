import { z } from 'zod'
import { FAULT_KINDS } from '../faults.ts'

/** Bodies of the control interface. Every error names the field. */

const match = z
  .strictObject({
    method: z.string().optional(),
    path: z.string().optional(),
    exact: z.boolean().optional(),
    body: z.string().min(1).optional(),
  })
  .optional()
const amount = z.union([z.number().nonnegative(), z.string()]).transform(String)
const json: z.ZodType<Record<string, unknown>> = z.record(z.string(), z.unknown())

export const MALFORMED_KINDS = [
  'amount_text',
  'amount_float',
  'amount_huge',
  'amount_missing',
  'id_null',
  'id_missing',
  'created_text',
  'currency_unknown',
  'status_missing',
  'status_unknown',
  'nul_character',
  'lone_surrogate',
  'not_an_object',
] as const

export const createBody = z.strictObject({
  count: z.int().min(1).max(200_000).default(1),
  account: z.string().min(1).optional(),
  status: z.string().optional(),
  stage: z.string().optional(),
  reason: z.string().optional(),
  variant: z.string().optional(),
  currency: z.string().length(3).optional(),
  amount: amount.optional(),
  dueInHours: z.number().nullable().optional(),
  ageDays: z.number().positive().max(1000).optional(),
  /** The PSP's own object, held unchanged; with `related` objects (a charge) that it refers to. */
  raw: json.optional(),
  /** The same as text, byte for byte. */
  rawText: z.string().optional(),
  related: z.array(json).optional(),
  malformed: z.enum(MALFORMED_KINDS).optional(),
  /** Merged over the PSP's object, top level only. */
  fields: json.optional(),
})

export const patchBody = z.strictObject({
  /** Recoup's pspStatus or the PSP's own value; any other text counts as the PSP's own value. */
  status: z.string().min(1).optional(),
  amount: amount.optional(),
  dueInHours: z.number().nullable().optional(),
  fields: json.optional(),
})

export const decideBody = z.strictObject({ outcome: z.enum(['won', 'lost', 'split', 'reopened']) })
export const clockBody = z.strictObject({ seconds: z.number().int() })

export const faultBody = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  count: z.int().min(1).max(1_000_000).default(1),
  match,
  /** Seconds, or a text that is sent unchanged (an HTTP date). */
  retryAfter: z.union([z.number(), z.string()]).transform(String).optional(),
  delayMs: z.int().min(0).max(600_000).optional(),
})

export const holdBody = z.strictObject({
  match,
  // biome-ignore lint/suspicious/noThenProperty: the name in the control interface
  then: z.enum(['apply', 'drop']).default('apply'),
  /** Number of requests; null = every one until it is released. */
  count: z.int().min(1).nullable().default(1),
})

export const notificationBody = z.strictObject({
  url: z.url(),
  ref: z.string().optional(),
  account: z.string().optional(),
  count: z.int().min(1).max(10_000).default(1),
  mutate: z.enum(['forged', 'replayed', 'reordered', 'stale', 'altered', 'wrong_environment']).optional(),
  /** Signing secret of the endpoint, when it is not the simulator's own. */
  secret: z.string().min(1).optional(),
})

export const subscriptionBody = z.strictObject({
  url: z.url(),
  account: z.string().min(1).optional(),
  /** Signing secret of the endpoint, when it is not the simulator's own. */
  secret: z.string().min(1).optional(),
  /** Also send earlier events. */
  backlog: z.boolean().optional(),
})

export const accountBody = z.strictObject({ account: z.string().min(1) })
/** What identifies a credential at the PSP: an API key, a client id, a public key. */
export const keyBody = z.strictObject({ key: z.string().min(1) })

export class BadBody extends Error {}

/** @throws BadBody with a sentence per invalid field */
export function parseBody<T>(schema: z.ZodType<T>, text: string): T {
  let value: unknown
  try {
    value = text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    throw new BadBody('the body is not JSON')
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new BadBody(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  )
}

export type Malformed = (typeof MALFORMED_KINDS)[number]
