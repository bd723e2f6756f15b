import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { Refusal } from '../../db/core/refusal.ts'
import type { Log } from '../../process/log.ts'
import type { ApiEnv } from '../context.ts'

/** An error response. `message` is the public sentence; the internal cause goes to the log only. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  /** Additional fields that the interface defines for this error. */
  readonly more: Readonly<Record<string, unknown>>

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    headers: Record<string, string> = {},
    more: Record<string, unknown> = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.headers = headers
    this.more = more
  }
}

export interface ErrorBody {
  status: number
  message: string
  errorId: string
  error: string
  code: string
}

/** The one place that shapes error responses. */
export function errorResponse(c: Context<ApiEnv>, log: Log, failure: unknown): Response {
  const error = isAborted(c) ? incomplete() : toApiError(failure)
  const body = errorBody(error)
  const fields = { requestId: c.get('requestId'), errorId: body.errorId, code: error.code, status: error.status }
  if (error.status >= 500) log.error({ ...fields, error: failure }, 'request failed')
  else log.info(fields, 'request refused')
  return c.json({ ...body, ...error.more }, error.status, error.headers)
}

/** The client disconnected or was too slow: the service did not fail, and nobody reads the response. */
function isAborted(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  return Boolean(incoming?.destroyed && !incoming.complete)
}

const incomplete = () => new ApiError(408, 'request_timeout', 'The request did not arrive completely.')

export function errorBody(error: Pick<ApiError, 'status' | 'code' | 'message'>): ErrorBody {
  const { status, message, code } = error
  return { status, message, errorId: randomUUID(), error: STATUS_CODES[status] ?? 'Error', code }
}

export function toApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure
  if (failure instanceof Refusal)
    return new ApiError(failure.kind === 'missing' ? 404 : 400, failure.code, failure.message)
  if (failure instanceof HTTPException) return ofFramework(failure)
  if (isUnavailable(failure))
    return new ApiError(503, 'service_unavailable', 'The service is unavailable for the moment. Try again.', {
      'retry-after': '1',
    })
  return new ApiError(500, 'internal_error', 'Internal server error')
}

function ofFramework(failure: HTTPException): ApiError {
  switch (failure.status) {
    case 400:
      return new ApiError(400, 'malformed_json', 'The body is not valid JSON.')
    case 413:
      return payloadTooLarge()
    case 415:
      return new ApiError(415, 'unsupported_media_type', 'The body must be sent as application/json.')
    default:
      return new ApiError(500, 'internal_error', 'Internal server error')
  }
}

export const payloadTooLarge = (message = 'The payload exceeds the maximum size of 1 MB.') =>
  new ApiError(413, 'payload_too_large', message)

/** Transient conflicts: statement or lock time-out, serialisation failure, deadlock. */
const TOO_BUSY = new Set(['57014', '55P03', '40001', '40P01'])

/**
 * Postgres is unreachable, starting, stopping, out of connections, memory or disk, or has an I/O error; or this process
 * is out of descriptors or memory. @see PostgreSQL appendix A, classes 08, 53, 57P and 58
 */
function isUnavailable(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false
  if (failure instanceof AggregateError) return failure.errors.some(isUnavailable)
  const code = String((failure as { code?: unknown }).code ?? '')
  if (/^(08|53|57P|58)/.test(code) || TOO_BUSY.has(code)) return true
  if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/.test(code)) return true
  if (/^(EMFILE|ENFILE|ENOBUFS|ENOMEM|ERR_WORKER_INIT_FAILED)$/.test(code)) return true
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after)/.test(
    failure.message,
  )
}
