import type { Match } from '../../../simulators/engine/match.ts'
import type { FaultPoint } from '../../harness/fault-points/points.ts'
import type { Connected } from '../testbed/connected.ts'
import { type Held, holdAbout } from '../testbed/holding.ts'
import type { Testbed } from '../testbed/prepare.ts'
import type { PollRequest } from './ingestion-steps.ts'

/** Matches the request for a page at the PSP. Where the path names no account, all other polls are held. */
function listOf({ adapter, account }: Connected): Match {
  if (adapter === 'braintree')
    return { method: 'POST', path: `/merchants/${account}/disputes/advanced_search`, exact: true }
  if (adapter === 'recoup_sandbox') return { method: 'GET', path: `/v1/accounts/${account}/chargebacks`, exact: true }
  return { method: 'GET', path: adapter === 'stripe' ? '/v1/disputes' : '/v1/customer/disputes', exact: true }
}

/**
 * Holds that request of the poll at the PSP. When released, it gets a response or is lost, depending on the seed. A
 * token is requested when the PSP refuses the previous one.
 */
export function holdPollRequest(testbed: Testbed, connected: Connected, request: PollRequest, seed: number): Held {
  const { holds, faults } = testbed.engines[connected.adapter]
  const list = listOf(connected)
  const arm = () => {
    if (request === 'token') faults.arm({ kind: '401', left: 1, match: list, retryAfter: undefined, delayMs: 0 })
    const match = request === 'token' ? { method: 'POST', path: '/v1/oauth2/token', exact: true } : list
    return holds.arm(match, seed % 2 === 0 ? 'drop' : 'apply', 1)
  }
  // The next page is requested while one is being stored: the request waits in the worker until the page is committed.
  const before: readonly FaultPoint[] = request === 'first page' ? [] : ['poll.before_next_page', 'poll.between_pages']
  const points = before.map((point) => holdAbout(testbed.worker, point, connected.integrationId))
  let hold = points.length === 0 ? arm() : null
  const releasePoints = () => Promise.all(points.map((point) => point.release()))
  return {
    async reached() {
      if (!hold && (await Promise.all(points.map((point) => point.reached()))).every(Boolean)) {
        hold = arm()
        await releasePoints()
      }
      return (hold?.held.length ?? 0) > 0
    },
    async release() {
      await releasePoints()
      if (hold) holds.release(hold.id)
    },
  }
}
