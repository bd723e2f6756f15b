import type { Match } from '../../../simulators/engine/match.ts'
import type { Connected } from '../ground/connected.ts'
import { type Held, holdAbout } from '../ground/holding.ts'
import type { Ground } from '../ground/prepare.ts'
import type { PollRequest } from './ingestion-steps.ts'

/** How to know the request for a page at the PSP's door. Where the path names no account, all other polls are held. */
function listOf({ adapter, account }: Connected): Match {
  if (adapter === 'braintree')
    return { method: 'POST', path: `/merchants/${account}/disputes/advanced_search`, exact: true }
  if (adapter === 'recoup_sandbox') return { method: 'GET', path: `/v1/accounts/${account}/chargebacks`, exact: true }
  return { method: 'GET', path: adapter === 'stripe' ? '/v1/disputes' : '/v1/customer/disputes', exact: true }
}

/**
 * The PSP takes that request of the poll in hand. When it is let go it is answered, or lost, as the seed says. A token is
 * asked for when the PSP refuses the one that it gave before.
 */
export function holdPollRequest(ground: Ground, connected: Connected, request: PollRequest, seed: number): Held {
  const { holds, faults } = ground.engines[connected.adapter]
  const list = listOf(connected)
  const arm = () => {
    if (request === 'token') faults.arm({ kind: '401', left: 1, match: list, retryAfter: undefined, delayMs: 0 })
    const match = request === 'token' ? { method: 'POST', path: '/v1/oauth2/token', exact: true } : list
    return holds.arm(match, seed % 2 === 0 ? 'drop' : 'apply', 1)
  }
  const between =
    request === 'first page' ? null : holdAbout(ground.worker, 'poll.between_pages', connected.integrationId)
  let hold = between ? null : arm()
  return {
    async reached() {
      if (!hold && (await between?.reached())) {
        hold = arm()
        await between?.release()
      }
      return (hold?.held.length ?? 0) > 0
    },
    async release() {
      await between?.release()
      if (hold) holds.release(hold.id)
    },
  }
}
