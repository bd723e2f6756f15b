/** A request that did not succeed: the API's sentence, or that there was no answer. */
export class CallFailure extends Error {
  readonly status: number
  readonly code: string
  readonly errorId: string | undefined
  /** Seconds until another try makes sense. */
  readonly retryAfter: number | undefined

  constructor(failure: {
    status: number
    code: string
    message: string
    errorId?: string | undefined
    retryAfter?: number | undefined
  }) {
    super(failure.message)
    this.name = 'CallFailure'
    this.status = failure.status
    this.code = failure.code
    this.errorId = failure.errorId
    this.retryAfter = failure.retryAfter
  }
}

/** The request may have arrived and taken effect. */
export const noAnswer = () =>
  new CallFailure({ status: 0, code: 'no_answer', message: 'The service did not answer. Check your connection.' })

/** What a person reads about a failed act. A fault of the service has its id, by which support finds it in the log. */
export function sentenceOf(error: unknown): string {
  const { message } = error as Error
  const isFault = error instanceof CallFailure && error.status >= 500 && error.errorId !== undefined
  return isFault ? `${message} (error id ${error.errorId})` : message
}

/** Whether a proxy or a network's sign-in page responded instead of the service: the API never sends HTML. */
export const isForeign = ({ headers }: Response): boolean => /^text\/html\b/.test(headers.get('content-type') ?? '')

/** A 5xx without the API's code comes from a proxy whose service did not answer: the request may have arrived. */
export async function failureOf(response: Response): Promise<CallFailure> {
  const { status, headers } = response
  const retryAfter = Number(headers.get('retry-after')) || undefined
  const body = (await response.json().catch(() => null)) as { message?: string; code?: string; errorId?: string } | null
  if (status >= 500 && !body?.code) return noAnswer()
  return new CallFailure({
    status,
    code: body?.code ?? 'unknown',
    message: body?.message ?? `The service answered with status ${status}.`,
    errorId: body?.errorId,
    retryAfter,
  })
}
