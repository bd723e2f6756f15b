import { z } from '@hono/zod-openapi'

const errorFields = {
  status: z.number().int().openapi({ description: 'HTTP status code.', example: 404 }),
  message: z
    .string()
    .openapi({ description: 'What went wrong, for people.', example: 'There is no chargeback with this id.' }),
  errorId: z.string().openapi({ format: 'uuid', description: 'Give it to support; it is in the log line too.' }),
  error: z.string().openapi({ description: 'Reason phrase of the HTTP status.', example: 'Not Found' }),
  code: z.string().openapi({ description: 'Stable name of what went wrong.', example: 'chargeback_not_found' }),
}
const errorSchema = z.object(errorFields).openapi('Error')

const text = (pattern: string, description: string) => ({ schema: { type: 'string', pattern }, description }) as const
const count = (description: string) => ({ schema: { type: 'integer', minimum: 0 }, description }) as const

/** Headers of every response of an operation. */
const everywhere = {
  'X-Request-Id': text('^[\\w.:-]{1,128}$', 'The id of the request: the client’s own when it sent a usable one.'),
  'RateLimit-Limit': count('Requests per minute of this credential.'),
  'RateLimit-Remaining': count('Requests left in this window.'),
  'RateLimit-Reset': count('Seconds until the window ends.'),
}
const retry = { ...everywhere, 'Retry-After': count('Seconds to wait before trying again.') }

export function failure(
  status: number,
  error: string,
  code: string,
  description: string,
  message: string,
  headers = everywhere,
) {
  const errorId = '6f1c1f0e-8a0b-4b52-9d0e-0c7b7b2f9a11'
  return {
    description,
    headers,
    content: { 'application/json': { schema: errorSchema, example: { status, message, errorId, error, code } } },
  }
}

/** Error responses of operations with an effect. */
export const writeErrors = {
  400: failure(
    400,
    'Bad Request',
    'validation_failed',
    'Invalid or incomplete parameters or body; every bad field is named. Codes: `validation_failed`, ' +
      '`malformed_json`, `malformed_body` (no UTF-8, broken gzip), `invalid_cursor`, `invalid_idempotency_key`, `idempotency_key_reused`, and those of the operation.',
    'limit: Must be an integer from 10 to 100',
  ),
  401: failure(
    401,
    'Unauthorized',
    'invalid_credential',
    'Authentication or reference account. Codes: `missing_token`, `invalid_token_format`, `invalid_credential`, ' +
      '`reference_account_required`, `reference_account_unreachable`, `no_merchant`, `account_level_only`.',
    'Authorization error. Credential is invalid',
  ),
  403: failure(
    403,
    'Forbidden',
    'sandbox_only',
    'The action is forbidden although the credential is good. Codes: `permission_missing` (its role does not cover the ' +
      'operation), `address_not_allowed` (it may not be used from this address), `sandbox_only`.',
    'recoup_sandbox integrations exist in the sandbox environment only.',
  ),
  404: failure(
    404,
    'Not Found',
    'chargeback_not_found',
    'There is no such resource, or it belongs to another merchant. Codes: `chargeback_not_found`, ' +
      '`acceptance_not_found`, `submission_not_found`, `file_not_found`, `draft_not_ready`, `integration_not_found`, ' +
      '`merchant_not_found`, `alert_not_found`, `ingestion_not_found`, `event_not_found`, ' +
      '`webhook_endpoint_not_found`, `path_not_found`.',
    'There is no chargeback with this id.',
  ),
  409: failure(
    409,
    'Conflict',
    'request_in_progress',
    'Another request with the same Idempotency-Key is still running. Code: `request_in_progress`.',
    'A request with this Idempotency-Key is still running.',
    retry,
  ),
  413: failure(
    413,
    'Payload Too Large',
    'payload_too_large',
    'The payload exceeds the maximum size of 1 MB (1,048,576 bytes), before or after its compression. Code: `payload_too_large`.',
    'The payload exceeds the maximum size of 1 MB.',
  ),
  415: failure(
    415,
    'Unsupported Media Type',
    'unsupported_media_type',
    'The body is not application/json in UTF-8, plain or gzip; the message names the header. Code: `unsupported_media_type`.',
    'The body must be sent as application/json.',
  ),
  429: failure(
    429,
    'Too Many Requests',
    'rate_limit_exceeded',
    'Rate limit exceeded. Code: `rate_limit_exceeded`.',
    'Rate limit exceeded. Try again in 12 seconds.',
    retry,
  ),
  500: failure(
    500,
    'Internal Server Error',
    'internal_error',
    'Failure of the service. Try again. Code: `internal_error`.',
    'Internal server error',
  ),
  503: failure(
    503,
    'Service Unavailable',
    'service_unavailable',
    'The service is unavailable for the moment. Code: `service_unavailable`.',
    'The service is unavailable for the moment. Try again.',
    retry,
  ),
} as const

/** Error response of operations that take `If-Match`. */
export const changedError = {
  412: failure(
    412,
    'Precondition Failed',
    'chargeback_changed',
    'If-Match names another version than the latest: nothing was done. Code: `chargeback_changed`.',
    'The chargeback has changed since it was read. Read it again, and decide again.',
  ),
} as const

/** Error responses that differ for uploads. */
export const uploadErrors = {
  413: failure(
    413,
    'Payload Too Large',
    'payload_too_large',
    'The file exceeds the maximum size of 6 MB (6,291,456 bytes). Code: `payload_too_large`.',
    'The file exceeds the maximum size of 6 MB (6,291,456 bytes).',
  ),
  415: failure(
    415,
    'Unsupported Media Type',
    'unsupported_media_type',
    'The body is not multipart/form-data, plain or gzip; the message names the header. Code: `unsupported_media_type`.',
    'The body must be sent as multipart/form-data.',
  ),
} as const

const { 409: _conflict, 415: _mediaType, ...readFailures } = writeErrors
/** Error responses of operations without a body and without an effect. */
export const readErrors = readFailures
/** Success response with the content of a file, in one of several types. */
export const successFile = (
  description: string,
  content: Record<string, { schema: z.ZodType<string>; example: string }>,
) => ({ description, headers: everywhere, content })
/** Success response with bytes of one of several media types. */
export const successBytes = (description: string, types: readonly string[]) => ({
  description,
  headers: everywhere,
  content: Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary', contentMediaType: type } as const }]),
  ),
})
/** Success response with plain text. */
export const successText = (description: string, example: string) => ({
  description,
  headers: everywhere,
  content: { 'text/plain': { schema: z.string(), example } },
})

const entityTag = {
  ETag: text('^(W/)?"[^"]*"$', 'Version of what was read; weak where the response is compressed.'),
}

/** Success response of an operation. */
export function success<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: unknown,
  headers: typeof everywhere = everywhere,
) {
  return { description, headers, content: { 'application/json': { schema, example } } }
}

/** Success responses of a read with an entity tag. */
export function successVersioned<Schema extends z.ZodType>(description: string, schema: Schema, example: unknown) {
  const headers = { ...everywhere, ...entityTag }
  return {
    200: success(description, schema, example, headers),
    304: { description: 'What If-None-Match names is still the latest.', headers },
  } as const
}

/** Success response without a body. */
export const successEmpty = (description: string) => ({ description, headers: everywhere })

/** The 404 of a merchant read, which also has `statusCode`. */
export const merchantNotFound = (() => {
  const message = 'There is no merchant with this id.'
  const declared = failure(404, 'Not Found', 'merchant_not_found', `${message} Code: \`merchant_not_found\`.`, message)
  const { example } = declared.content['application/json']
  const statusCode = z.number().int().openapi({ description: 'The same as status.', example: 404 })
  const withStatusCode = z.object({ ...errorFields, statusCode }).openapi('MerchantNotFound')
  return {
    ...declared,
    content: { 'application/json': { schema: withStatusCode, example: { ...example, statusCode: 404 } } },
  }
})()
