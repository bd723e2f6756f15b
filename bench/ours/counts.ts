import type { PollRun } from './poller.ts'

const PAGE = 100

export interface Count {
  unit: string
  value: number
}

type Counted = Pick<PollRun, 'statements' | 'tokens' | 'rows'>

/**
 * Round trips of a first load and of a poll without news, and requests of the latter. Each statement counts as one, also
 * those that are sent together, and so do `begin`, `commit` and what takes tokens of the rate bucket. All but the last are
 * the same in every run: tokens are taken again after a second, so a slow machine takes up to one round trip for each page.
 */
export function pollCounts(load: Counted, repoll: Counted, requests: number): Record<string, Count> {
  const each = ({ statements, tokens, rows }: Counted) => (statements + tokens) / rows
  const perRow = (value: number) => ({ unit: 'round trips/dispute', value })
  return {
    load: perRow(each(load)),
    repoll: perRow(each(repoll)),
    load_page: { unit: 'round trips/page', value: each(load) * PAGE },
    repoll_page: { unit: 'round trips/page', value: each(repoll) * PAGE },
    idle_requests: { unit: 'requests/page', value: requests / Math.ceil(repoll.rows / PAGE) },
  }
}
