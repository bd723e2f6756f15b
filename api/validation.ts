import type { Hook } from '@hono/zod-openapi'
import type { ApiEnv } from './context.ts'
import { ApiError } from './errors.ts'

export interface Issue {
  code?: string | undefined
  path: PropertyKey[]
  message: string
  keys?: string[] | undefined
}

/** Every bad field by its path, in one sentence; never the value that was sent. */
export function issuesSentence(issues: readonly Issue[], prefix: readonly string[] = []): string {
  const named = issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path.map(String)]
    if (issue.code === 'unrecognized_keys')
      return (issue.keys ?? []).map((key) => `${[...path, key].join('.').slice(0, 200)}: Unknown field`)
    const words = issue.message.endsWith('received undefined') ? 'Required' : issue.message
    return `${path.join('.') || 'body'}: ${words}`
  })
  return [...new Set(named)].slice(0, 50).join('; ')
}

/** What every operation answers to input that does not fit its definition. */
// biome-ignore lint/suspicious/noExplicitAny: the hook is the same for every input
export const refuseInvalid: Hook<any, ApiEnv, any, any> = (result) => {
  if (!result.success) throw new ApiError(400, 'validation_failed', issuesSentence(result.error.issues as Issue[]))
}
