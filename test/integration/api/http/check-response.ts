import { expect } from 'vitest'
import { faultsOfReply, type Reply } from '../../../interface/response-checks.ts'

/** Checks that the API description declares this response: status, headers, body, and the code of an error. */
export function checkResponse(method: string, path: string, response: Reply): void {
  const { pathname } = new URL(path, 'http://localhost')
  const faults = faultsOfReply(method, pathname, response)
  expect(faults, `${method} ${pathname} ${response.status}: ${response.text.slice(0, 1_000)}`).toEqual([])
}
