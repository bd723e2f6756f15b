import { createHash } from 'node:crypto'
import { asRecord, sliceJson } from '../shared/raw-json.ts'
import { sellerOf } from './account.ts'
import type { PayPalClient } from './client.ts'
import { noResponse } from './errors.ts'
import { timeAt } from './facts.ts'
import { nextPath } from './links.ts'

/** One row of a list: a summary, insufficient for a chargeback. */
export interface Row {
  /** Null when the row has no usable id. */
  reference: string | null
  /** Distinguishes this row from others on its page. */
  mark: string
  /** Update time and a hash of the changeable fields; null for rows that can't be recognised. */
  key: string | null
  /** Unix seconds. */
  updatedAt: number | null
  /** The seller's account in the row. */
  seller: string | null
  text: string
}

export interface Page {
  rows: Row[]
  next: string | null
}

/** `items` is absent when empty. @throws PspError of any kind that a read has */
export async function readPage(client: PayPalClient, path: string): Promise<Page> {
  const { value, text } = await client.read(path)
  const next = nextPath(value)
  if (value.items === undefined || value.items === null) return { rows: [], next }
  const texts = sliceJson(text, 'items')
  if (!Array.isArray(value.items) || texts === null || texts.length !== value.items.length) throw noResponse('read')
  const items: unknown[] = value.items
  return { rows: texts.map((rowText, index) => rowOf(items[index], rowText)), next }
}

function rowOf(item: unknown, text: string): Row {
  const row = asRecord(item)
  const reference = referenceOf(row?.dispute_id)
  const time = timeAt(item, 'update_time')
  const updatedAt = time === null ? null : Math.floor(time / 1000)
  const content = hash([reference, row?.update_time, row?.status, row?.dispute_life_cycle_stage])
  return {
    reference,
    mark: reference ?? hash(text),
    key: reference === null || updatedAt === null ? null : `${updatedAt}:${content}`,
    updatedAt,
    seller: sellerOf(item),
    text,
  }
}

/** The id of a dispute, if usable. */
export function referenceOf(id: unknown): string | null {
  return typeof id === 'string' && /^[A-Za-z0-9-]{1,255}$/.test(id) ? id : null
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16)
}
