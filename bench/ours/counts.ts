import { onFreshDatabase } from '../peers/contender.ts'
import type { Arena } from './arena.ts'
import type { RecoupPass } from './recoup.ts'

const PAGE = 100

export interface Count {
  unit: string
  value: number
}

/**
 * Round trips of a first load and of a poll without news. Each statement counts as one, also those that are sent
 * together, and so do `begin`, `commit` and what takes a token of the rate bucket. The same in every run.
 */
export async function pageCounts({ databases, recoup, otherSide }: Arena): Promise<Record<string, Count>> {
  return onFreshDatabase(databases, recoup, async ({ sync }) => {
    const load = await sync()
    await otherSide.counters()
    const repoll = await sync()
    const { requests } = await otherSide.counters()
    const each = (pass: RecoupPass) => (pass.statements + pass.tokens) / pass.rows
    const perRow = (value: number) => ({ unit: 'round trips/dispute', value })
    const pages = Math.ceil(repoll.rows / PAGE)
    return {
      load: perRow(each(load)),
      repoll: perRow(each(repoll)),
      load_page: { unit: 'round trips/page', value: each(load) * PAGE },
      repoll_page: { unit: 'round trips/page', value: each(repoll) * PAGE },
      idle_requests: { unit: 'requests/page', value: requests / pages },
    }
  })
}
