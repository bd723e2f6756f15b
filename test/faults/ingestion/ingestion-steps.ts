import type { FaultPoint } from '../../harness/fault-points/points.ts'
import type { Hold, Step } from '../steps.ts'
import type { AdapterName } from '../testbed/psps.ts'

/** A request of a poll that is in flight at the PSP. The next page is requested while a page is being stored. */
export type PollRequest = 'first page' | 'next page' | 'token'

export interface PollStep extends Step<'ingestion'> {
  /** The PSP holds this request; from the fault point on, if there is one. */
  wire?: PollRequest
  /** The database refuses two of its rows. */
  refuses?: true
  missing(adapter: AdapterName): string | null
}

const worker = (point: FaultPoint | null): Hold => (point ? { at: 'point', point, by: 'worker' } : { at: 'request' })
const INBOX = 'this PSP has no list of disputes: the pages come from Recoup’s own inbox'
const noInbox = (adapter: AdapterName) => (adapter === 'adyen' ? INBOX : null)
const tokenOnly = (adapter: AdapterName) =>
  adapter === 'paypal' ? null : 'this PSP has no tokens: the credential itself is sent'

function step(key: string, title: string, point: FaultPoint | null, more: Partial<PollStep> = {}): PollStep {
  const always = () => null
  return { key, command: 'ingestion', title, hold: worker(point), impossible: always, missing: always, ...more }
}

/** In the order of a poll. */
export const POLL_STEPS: readonly PollStep[] = [
  step('page_asked', 'the PSP has the request for the first page', null, { wire: 'first page', missing: noInbox }),
  step('page_ahead', 'the page is read and being stored, the next one is about to be read', 'poll.before_next_page'),
  step('page_fetched', 'the page is read and compared, nothing is written', 'poll.before_page'),
  step('page_written', 'in the transaction of the page, with its rows and its cursor', 'poll.during_page'),
  step('cursor_committed', 'page and cursor are committed', 'poll.between_pages'),
  step('next_page_asked', 'one page is stored, the PSP has the request for the next', 'poll.between_pages', {
    ...{ wire: 'next page', missing: noInbox },
  }),
  step(
    'token_asked',
    'one page is stored, the token is refused for the next, the PSP has the request for a new token',
    'poll.between_pages',
    {
      ...{ wire: 'token', missing: tokenOnly },
    },
  ),
  step('page_halved', 'the database refuses a row: one half of the page is committed', 'poll.between_halves', {
    refuses: true,
  }),
  step('row_found', 'the refused row is found, and not yet quarantined', 'poll.before_aside', { refuses: true }),
  step('list_ended', 'the last page is stored, the end of the poll is not', 'poll.before_end'),
]
