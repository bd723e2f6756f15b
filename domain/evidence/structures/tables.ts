import type { Facts, TableValue } from '../gather-facts.ts'
import { type Correspondence, writeCorrespondence } from './correspondence.ts'
import { type OrderItems, writeOrderItems } from './order-items.ts'
import { type EvidenceTimeline, writeTimeline } from './timeline.ts'

const WRITERS: Record<TableKind, (value: never) => string[]> = {
  items: (value: OrderItems) => writeOrderItems(value),
  messages: (value: Correspondence) => writeCorrespondence(value),
  events: (value: EvidenceTimeline) => writeTimeline(value),
}

type TableKind = 'items' | 'messages' | 'events'

export const isTable = (kind: string): kind is TableKind => Object.hasOwn(WRITERS, kind)

/** One text for each row, and one for what was cut. */
export const rowsOf = (kind: TableKind, value: TableValue): string[] => WRITERS[kind](value as never)

/** The tables among the facts, in the order of an evidence document. */
export function tablesOf(facts: Facts): { title: string; rows: string[] }[] {
  const { orderItems, timeline, customerCommunication } = facts
  return [
    ...(timeline ? [{ title: 'Course of events', rows: rowsOf('events', timeline.value as TableValue) }] : []),
    ...(orderItems ? [{ title: 'Order lines', rows: rowsOf('items', orderItems.value as TableValue) }] : []),
    ...(customerCommunication
      ? [{ title: 'Correspondence', rows: rowsOf('messages', customerCommunication.value as TableValue) }]
      : []),
  ]
}
