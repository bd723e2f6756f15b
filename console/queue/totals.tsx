import type { Schemas } from '../api/operations.ts'
import { figure, money, sums } from '../parts/money.ts'
import { clock } from '../parts/when.tsx'
import type { Item } from './groups.ts'

interface TotalsProps {
  items: readonly Item[]
  hasMore: boolean
  /** The sums of the same rows, where the API has them. */
  summary: Schemas['Summary'] | undefined
  /** Time of what is older than the rows that are shown, ms; null when nothing is. */
  oldAt: number | null
}

/** How many there are, and what they are about: of all of them, or it says that it is of those loaded. */
export function Totals({ items, hasMore, summary, oldAt }: TotalsProps) {
  const total = hasMore ? summary?.groups[0] : undefined
  const count = total?.chargebacks ?? items.length
  const amounts = total ? total.amounts.map(({ amount, currency }) => money(amount, currency)).join(' · ') : sums(items)
  return (
    <p class="totals">
      {figure(count)} {count === 1 ? 'chargeback' : 'chargebacks'}
      {hasMore && !total && ' loaded, there are more'}
      {amounts !== '' && <span class="muted"> · {amounts}</span>}
      {oldAt !== null && <span class="muted"> · as of {clock(oldAt)}</span>}
    </p>
  )
}
