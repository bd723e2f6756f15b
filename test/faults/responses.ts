import type { Stack } from '../harness/stack.ts'

const TIMEOUT_MS = 15_000

/** Response to a client while a fault is active. */
export interface ClientResponse {
  /** null = none within fifteen seconds. */
  status: number | null
  /** As the interface describes it: a success, or a 503 with an errorId. */
  clean: boolean
  code?: string
}

/** One request with the account's token, by default to the API that was started last. Never throws. */
export async function answerOf(
  stack: Stack,
  path: string,
  init: RequestInit = {},
  url = stack.apis.at(-1)?.url,
): Promise<ClientResponse> {
  try {
    const response = await fetch(`${url}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${stack.token}`, ...init.headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { errorId, code } = (await response.json()) as { errorId?: string; code?: string }
    const { status, ok } = response
    return { status, clean: ok || (status === 503 && errorId !== undefined), ...(code !== undefined && { code }) }
  } catch {
    return { status: null, clean: false }
  }
}
