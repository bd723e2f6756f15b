import type { FactName } from '../fact-catalogue.ts'
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

/** In the order of an evidence document. */
const TABLES = [
  ['timeline', 'Course of events', 'events'],
  ['orderItems', 'Order lines', 'items'],
  ['customerCommunication', 'Correspondence', 'messages'],
] as const satisfies readonly [FactName, string, TableKind][]

const given = (facts: Facts) =>
  TABLES.flatMap(([name, title, kind]) => {
    const value = facts[name]?.value as TableValue | undefined
    return value ? [{ title, kind, value }] : []
  })

/** The tables among the facts, in the order of an evidence document. */
export const tablesOf = (facts: Facts): { title: string; rows: string[] }[] =>
  given(facts).map(({ title, kind, value }) => ({ title, rows: rowsOf(kind, value) }))

/** Titles of the tables that have only a part of their rows. */
export const cutTables = (facts: Facts): string[] =>
  given(facts).flatMap(({ title, value }) => (value.others ? [title] : []))
