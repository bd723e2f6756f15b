import type { Stack } from '../harness/stack.ts'

const ANSWER_MS = 15_000

/** What a client got while something is broken. */
export interface GivenAnswer {
  /** null = none within fifteen seconds. */
  status: number | null
  /** Clean is what the interface knows: success, or a failure only as 503 with an errorId. */
  clean: boolean
  code?: string
}

/** One request with the account's token, to the API that was started last unless told; whatever comes of it is an answer. */
export async function answerOf(
  stack: Stack,
  path: string,
  init: RequestInit = {},
  url = stack.apis.at(-1)?.url,
): Promise<GivenAnswer> {
  try {
    const answer = await fetch(`${url}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${stack.token}`, ...init.headers },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const { errorId, code } = (await answer.json()) as { errorId?: string; code?: string }
    const { status, ok } = answer
    return { status, clean: ok || (status === 503 && errorId !== undefined), ...(code !== undefined && { code }) }
  } catch {
    return { status: null, clean: false }
  }
}
