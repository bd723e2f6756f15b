import type { Hook } from '@hono/zod-openapi'
import type { ApiEnv } from '../context.ts'
import { ApiError } from './errors.ts'

export interface Issue {
  code?: string | undefined
  path: PropertyKey[]
  message: string
  keys?: string[] | undefined
}

/** Maximum number of errors in a message. */
export const MAX_FAULTS = 50

/** The first invalid fields by path, in one sentence; never the submitted value. */
export function issuesSentence(issues: readonly Issue[], prefix: readonly string[] = []): string {
  const named = new Set<string>()
  for (const fault of faultsOf(issues, prefix)) if (named.add(fault).size === MAX_FAULTS) break
  return [...named].join('; ')
}

function* faultsOf(issues: readonly Issue[], prefix: readonly string[]): Generator<string> {
  for (const issue of issues) {
    const path = [...prefix, ...issue.path.map(String)]
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys ?? []) yield `${[...path, key].join('.').slice(0, 200)}: Unknown field`
    else {
      const words = issue.message.endsWith('received undefined') ? 'Required' : issue.message
      yield `${path.join('.') || 'body'}: ${words}`
    }
  }
}

/** Response of every operation to input that does not match its definition. */
// biome-ignore lint/suspicious/noExplicitAny: the hook is the same for every input
export const refuseInvalid: Hook<any, ApiEnv, any, any> = (result) => {
  if (!result.success) throw new ApiError(400, 'validation_failed', issuesSentence(result.error.issues as Issue[]))
}
