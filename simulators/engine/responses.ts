import type { StoredResponse } from './contract.ts'

/** Retention of the response to an idempotency key, in seconds of virtual time (Stripe: at least 24 h). */
const REMEMBERED = 24 * 3600

/** Responses by idempotency key: a repeated request gets the stored response until it expires. */
export interface Answers {
  find(key: string, now: number): StoredResponse | undefined
  store(answer: StoredResponse): void
  /** Keys of requests that the PSP has received and not answered yet. */
  inFlight: Set<string>
  restore(answer: StoredResponse): void
  all(): Iterable<StoredResponse>
}

export function createAnswers(persist: (kind: 'answer', value: StoredResponse) => void): Answers {
  const answers = new Map<string, StoredResponse>()
  return {
    inFlight: new Set(),
    find(key, now) {
      const answer = answers.get(key)
      if (answer === undefined || now - answer.at <= REMEMBERED) return answer
      answers.delete(key)
      return undefined
    },
    store(answer) {
      answers.set(answer.key, answer)
      persist('answer', answer)
    },
    restore: (answer) => void answers.set(answer.key, answer),
    all: () => answers.values(),
  }
}
