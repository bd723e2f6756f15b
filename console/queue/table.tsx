import { serverNow } from '../api/connection.ts'
import { isUrgent, timeLeft } from '../parts/due.ts'
import { money, sums } from '../parts/money.ts'
import { Reason } from '../parts/reason.tsx'
import { When } from '../parts/when.tsx'
import type { Group, Item } from './groups.ts'

const COLUMNS = ['Due', 'Amount', 'PSP', 'Reason', 'Stage', 'Win', 'Advice', 'Status'] as const

interface QueueTableProps {
  groups: readonly Group[]
  /** Query of links to a case. */
  suffix: string
  /** Whether statuses at the PSP differ, so that each row tells its own. */
  mixed: boolean
}

/** A table of rows that are read and opened: below 640 px each row is a card. */
export function QueueTable({ groups, suffix, mixed }: QueueTableProps) {
  return (
    <table class="queue">
      <caption class="visually-hidden">Chargebacks by days left</caption>
      <thead>
        <tr>
          {COLUMNS.map((name) => (
            <th key={name} scope="col" class={name === 'Amount' || name === 'Win' ? 'figure' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {groups.map(({ name, items }) => (
        <tbody key={name}>
          <tr class="group">
            <th colSpan={COLUMNS.length} scope="rowgroup">
              {name} · {items.length} · {sums(items)}
            </th>
          </tr>
          {items.map((item) => (
            <Row key={item.id} item={item} suffix={suffix} mixed={mixed} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

function Row({ item, suffix, mixed }: { item: Item; suffix: string; mixed: boolean }) {
  const now = serverNow()
  const { dueDate, winProbability, roiRecommendation: advice } = item
  const open = item.pspStatus === 'needs_response'
  return (
    <tr>
      <td class={open && isUrgent(dueDate, now) ? 'due bad' : 'due'}>
        <a href={`/console/chargebacks/${encodeURIComponent(item.id)}${suffix}`}>
          {dueDate === undefined ? 'no due date' : open ? timeLeft(dueDate, now) : 'closed'}
        </a>{' '}
        {dueDate !== undefined && (
          <span class="muted">
            <When at={dueDate} short />
          </span>
        )}
      </td>
      <td class="figure amount">{money(item.amount, item.currency)}</td>
      <td class="psp">{item.psp}</td>
      <td class="reason">
        <Reason code={item.reasonCode} reason={item.reason} />
      </td>
      <td class="stage">{item.lifecycleStage}</td>
      <td class="figure win">{winProbability === undefined ? '–' : `${winProbability} %`}</td>
      <td class="advice">{advice && <span class={`badge ${advice.toLowerCase()}`}>{advice}</span>}</td>
      <td class="status">
        {item.status} {mixed && <span class="muted">{item.pspStatus}</span>}
      </td>
    </tr>
  )
}
