import { expect } from 'vitest'
import { faultsOfReply, type Reply } from '../../../interface/answers.ts'

/** The answer is one that the description of the interface declares: status, headers, body, and the code of an error. */
export function checkAnswer(method: string, path: string, answer: Reply): void {
  const { pathname } = new URL(path, 'http://localhost')
  const faults = faultsOfReply(method, pathname, answer)
  expect(faults, `${method} ${pathname} ${answer.status}: ${answer.text.slice(0, 1_000)}`).toEqual([])
}
