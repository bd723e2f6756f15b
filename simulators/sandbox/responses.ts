import type { ErrorAnswerKind, FaultAnswer } from '../engine/contract.ts'

/** An error response of the sandbox PSP. `executed` ones are stored for their idempotency key. */
export class SandboxRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly executed: boolean

  constructor(status: number, code: string, message: string, executed = false) {
    super(message)
    this.status = status
    this.code = code
    this.executed = executed
  }
}

export function errorBody(code: string, message: string): string {
  return JSON.stringify({ error: { code, message } })
}

const ANSWERS: Record<ErrorAnswerKind, readonly [status: number, code: string, message: string]> = {
  '401': [401, 'unauthorized', 'The credential is not known.'],
  '403': [403, 'forbidden', 'The credential may not do this.'],
  '409': [409, 'key_in_use', 'A request with this key is in progress.'],
  '429': [429, 'rate_limited', 'Too many requests.'],
  '500': [500, 'internal', 'Something went wrong.'],
  '503': [503, '', ''],
}

export function errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer {
  const [status, code, message] = ANSWERS[kind]
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  return { status, headers, body: kind === '503' ? '' : errorBody(code, message) }
}

/** Malformed pages. Other responses stay unchanged. */
export function reshapePage(kind: 'empty_page' | 'repeated_item' | 'endless_pages', body: string): string {
  const page = JSON.parse(body) as { items?: unknown[]; hasMore?: boolean }
  if (!Array.isArray(page.items)) return body
  if (kind === 'empty_page') return JSON.stringify({ items: [], hasMore: true })
  if (kind === 'endless_pages') return JSON.stringify({ ...page, hasMore: true })
  return JSON.stringify({ ...page, items: [...page.items.slice(0, 1), ...page.items] })
}
