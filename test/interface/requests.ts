import type { createApp } from '../../api/app.ts'
import type { Operation } from './document.ts'
import { multipart, type Part } from './multipart.ts'
import type { Recipe, RecipeIds } from './recipes.ts'
import type { Reply } from './response-checks.ts'

export interface Sent {
  method: string
  /** From the root, with its query. */
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

export type Send = (request: Sent) => Promise<Reply>

export interface Caller {
  token?: string
  merchant?: string
}

/** The parts of a request before they are encoded. */
export interface Draft {
  path: Record<string, string>
  query: [string, string][]
  body: unknown
  parts: Part[] | null
}

/** A valid request of the operation, about the given resources. */
export function draft(recipe: Recipe, ids: RecipeIds): Draft {
  return {
    path: Object.fromEntries(Object.entries(recipe.path ?? {}).map(([name, kind]) => [name, ids[kind]])),
    query: [],
    body: recipe.body?.(ids),
    parts: recipe.parts?.(ids) ?? null,
  }
}

export function request(operation: Operation, { path, query, body, parts }: Draft, caller: Caller = {}): Sent {
  const filled = operation.template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''))
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  const form = parts && multipart(parts)
  const json = body === undefined ? null : JSON.stringify(body)
  return {
    method: operation.method,
    path: `/v1${filled}${search && `?${search}`}`,
    headers: {
      ...(caller.token !== undefined && { authorization: `Bearer ${caller.token}` }),
      ...(caller.merchant !== undefined && { 'reference-account-id': caller.merchant }),
      ...(form ? { 'content-type': form.type } : json !== null && { 'content-type': 'application/json' }),
    },
    ...(form ? { body: form.body } : json !== null && { body: json }),
  }
}

/** Sends to the application in this process, without a socket. */
export const toApp =
  (app: ReturnType<typeof createApp>): Send =>
  async ({ method, path, headers, body }) => {
    const response = await app.request(path, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

/** Sends to a running service. @param origin without /v1 */
export const toService =
  (origin: string): Send =>
  async ({ method, path, headers, body }) => {
    const response = await fetch(`${origin}${path}`, { method, headers, ...(body !== undefined && { body }) })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
