import type { StoredResponse } from './contract.ts'

/** How long a PSP remembers the answer to an idempotency key, in seconds of virtual time (Stripe: at least 24 h). */
const REMEMBERED = 24 * 3600

/** Answers by idempotency key: what was executed once is answered the same for as long as it is remembered. */
export interface Answers {
  find(key: string, now: number): StoredResponse | undefined
  store(answer: StoredResponse): void
  /** Keys of requests that the PSP has received and not yet answered. */
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
