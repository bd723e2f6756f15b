import type { Undone } from '../app/order.ts'
import { money } from '../parts/money.ts'
import { nameOf } from '../parts/words.ts'

/** What was not done, and why. They stay when their rows leave the list: the reason may be why they left. */
export function UndoneList({ undone, onDismiss }: { undone: readonly Undone[]; onDismiss: () => void }) {
  return (
    <div class="undone">
      <ul class="bad">
        {undone.map(({ item, why }) => (
          <li key={item.id}>
            {nameOf(item.psp)} {money(item.amount, item.currency)}: {why}
          </li>
        ))}
      </ul>
      <button type="button" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  )
}
