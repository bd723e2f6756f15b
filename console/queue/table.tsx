import { useMemo } from 'preact/hooks'
import { isUrgent, timeLeft } from '../parts/due.ts'
import { money, sums } from '../parts/money.ts'
import { Reason } from '../parts/reason.tsx'
import { StatusName } from '../parts/sign.tsx'
import { When } from '../parts/when.tsx'
import { nameOf } from '../parts/words.ts'
import type { Group, Item } from './groups.ts'
import { ScopeReason } from './scope-reason.tsx'
import type { Sort } from './view.ts'

type Sorted = 'dueDate' | 'amount'
const COLUMNS: readonly { name: string; sort?: Sorted; figure?: boolean }[] = [
  { name: 'Due', sort: 'dueDate' },
  { name: 'Amount', sort: 'amount', figure: true },
  ...[{ name: 'PSP' }, { name: 'Reason' }, { name: 'Stage' }],
  ...[{ name: 'Data', figure: true }, { name: 'Win', figure: true }, { name: 'Advice' }, { name: 'Status' }],
]

interface QueueTableProps {
  groups: readonly Group[]
  /** Query of links to a case. */
  suffix: string
  /** Of the server, whole minutes in ms. */
  now: number
  /** Whether statuses at the PSP differ, so that each row tells its own. */
  mixed: boolean
  /** Whether all are out of scope, so that each row tells why. */
  scoped: boolean
  sort: Sort
  /** Amounts are sorted within one currency. */
  oneCurrency: boolean
  onSort: (sort: Sort) => void
  /** Ids of selected rows; null for people who may not act. */
  selected: ReadonlySet<string> | null
  onSelect: (id: string, on: boolean) => void
}

/** A table of rows that are read and opened. Rendered again only when something of it changes: a list may have ten thousand. */
export function QueueTable(props: QueueTableProps) {
  return useMemo(() => <Table {...props} />, Object.values(props))
}

/** Below 640 px each row is a card. */
function Table({ groups, sort, oneCurrency, onSort, ...rows }: QueueTableProps) {
  const named = rows.scoped ? [...COLUMNS, { name: 'Why' }] : COLUMNS
  const columns = named.length + (rows.selected ? 1 : 0)
  return (
    <table class="queue">
      <caption class="visually-hidden">Chargebacks</caption>
      <thead>
        <tr>
          {rows.selected && (
            <td class="pick">
              <span class="visually-hidden">Selected</span>
            </td>
          )}
          {named.map((column) => (
            <Heading key={column.name} {...column} {...{ current: sort, oneCurrency, onSort }} />
          ))}
        </tr>
      </thead>
      {groups.map(({ name, items, isOpenEnded }) => (
        <tbody key={name}>
          {name && (
            <tr class="group">
              <th colSpan={columns} scope="rowgroup">
                <span class={name === 'Overdue' ? 'bad' : undefined}>{name}</span>{' '}
                <span class="muted">
                  {items.length}
                  {isOpenEnded && ' loaded'} · {sums(items)}
                </span>
              </th>
            </tr>
          )}
          {items.map((item) => (
            <Row
              key={item.id}
              item={item}
              selected={rows.selected?.has(item.id)}
              {...{
                suffix: rows.suffix,
                now: rows.now,
                mixed: rows.mixed,
                scoped: rows.scoped,
                onSelect: rows.onSelect,
              }}
            />
          ))}
        </tbody>
      ))}
    </table>
  )
}

interface HeadingProps {
  name: string
  sort?: Sorted
  figure?: boolean
  current: Sort
  oneCurrency: boolean
  onSort: (sort: Sort) => void
}

function Heading({ name, sort, figure, current, oneCurrency, onSort }: HeadingProps) {
  const className = figure ? 'figure' : undefined
  if (!sort)
    return (
      <th scope="col" class={className}>
        {name}
      </th>
    )
  const order = current === sort ? 'ascending' : current === `-${sort}` ? 'descending' : undefined
  const why = sort === 'amount' && !oneCurrency ? 'Choose one currency to sort by amount' : undefined
  // Amounts are looked at from the largest on.
  const [first, second]: [Sort, Sort] = sort === 'amount' ? ['-amount', 'amount'] : ['dueDate', '-dueDate']
  return (
    <th scope="col" class={className} aria-sort={order}>
      <button
        type="button"
        class="plain"
        title={why}
        aria-disabled={why !== undefined}
        onClick={() => why === undefined && onSort(current === first ? second : first)}
      >
        {name} <span aria-hidden="true">{order === 'ascending' ? '▲' : order === 'descending' ? '▼' : '↕'}</span>
      </button>
    </th>
  )
}

/** What stands in place of the time that is left, where nobody waits for an answer. */
const ANSWERED: Readonly<Record<string, string>> = {
  ...{ under_review: 'under review', won: 'closed', lost: 'closed', split: 'closed', not_applicable: 'closed' },
}

interface RowProps {
  item: Item
  suffix: string
  now: number
  mixed: boolean
  scoped: boolean
  selected: boolean | undefined
  onSelect: (id: string, on: boolean) => void
}

/** Rendered again only when it changes itself: a selection changes one row. */
function Row({ item, suffix, now, mixed, scoped, selected, onSelect }: RowProps) {
  return useMemo(() => {
    const { id, dueDate, winProbability, enrichmentRatio, roiRecommendation: advice } = item
    const open = item.pspStatus === 'needs_response'
    const words = ANSWERED[item.pspStatus ?? '']
    const at = words === undefined ? dueDate : (item.pspStatusChangeDate ?? dueDate)
    return (
      <tr class={selected ? 'selected' : undefined}>
        {selected !== undefined && (
          <td class="pick">
            <input
              type="checkbox"
              checked={selected}
              aria-label={`Select ${money(item.amount, item.currency)}, ${nameOf(item.psp)}`}
              onChange={(event) => onSelect(id, event.currentTarget.checked)}
            />
          </td>
        )}
        <td class={open && isUrgent(dueDate, now) ? 'due bad' : 'due'}>
          <a class="open" href={`/console/chargebacks/${encodeURIComponent(id)}${suffix}`} data-id={id}>
            {words ?? (dueDate === undefined ? 'no due date' : timeLeft(dueDate, now))}
          </a>{' '}
          {at !== undefined && (
            <span class="muted">
              <When at={at} short />
            </span>
          )}
        </td>
        <td class="figure amount">{money(item.amount, item.currency)}</td>
        <td class="psp">{nameOf(item.psp)}</td>
        <td class="reason">
          <Reason code={item.reasonCode} reason={item.reason} />
        </td>
        <td class="stage">{nameOf(item.lifecycleStage)}</td>
        <td class="figure data">{enrichmentRatio === undefined ? '–' : `${Math.round(enrichmentRatio * 100)} %`}</td>
        <td class="figure win">{winProbability === undefined ? '–' : `${winProbability} %`}</td>
        <td class="advice">{advice && <span class={`badge ${advice.toLowerCase()}`}>{advice}</span>}</td>
        <td class="status">
          <StatusName word={item.status} /> {mixed && <StatusName word={item.pspStatus} />}
        </td>
        {scoped && <td class="why">{item.scopeReason && <ScopeReason reason={item.scopeReason} />}</td>}
      </tr>
    )
  }, [item, suffix, now, mixed, scoped, selected, onSelect])
}
