import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { PayPalClient } from './client.ts'
import { unanswered } from './errors.ts'
import { type Row, referenceOf } from './rows.ts'

const DISPUTES = '/v1/customer/disputes'
/** PayPal publishes no limits and asks for restraint. */
const AT_ONCE = 2

/** A dispute as PayPal has it now; also what is looked at before and after each write. */
export interface ReadDispute {
  raw: RawObject
  object: Record<string, unknown>
}

/** @throws PspError invalid_request for what can't be a dispute's id: an empty one would list all disputes */
export function disputePath(reference: string, action = ''): string {
  if (referenceOf(reference) === null) {
    throw new PspError('invalid_request', 'A PayPal dispute id has letters, digits and hyphens only.')
  }
  return `${DISPUTES}/${reference}${action === '' ? '' : `/${action}`}`
}

/** @throws PspError of any kind that a read has */
export async function readDispute(client: PayPalClient, reference: string): Promise<ReadDispute> {
  const { value, text } = await client.read(disputePath(reference))
  const id = value.dispute_id
  // A detail without an id of its own is for the translation to judge; one of another dispute is no answer.
  if (typeof id === 'string' && id !== reference) throw unanswered('read')
  return { raw: { reference, text: text.trim() }, object: value }
}

/**
 * The details behind rows, in their order. A dispute that is gone by now is left out. A single one that PayPal lists
 * and fails to show, while it shows others, is handed out as unreadable: it must not hold up all that come after it.
 */
export async function readDetails(client: PayPalClient, rows: readonly Row[]): Promise<RawObject[]> {
  const details = await pooled(rows, (row) => detailOf(client, row))
  const readable = details.filter((detail) => !(detail instanceof PspError)).length
  const found: RawObject[] = []
  for (const [index, row] of rows.entries()) {
    let detail = details[index] ?? null
    if (detail instanceof PspError && readable > 0) detail = await detailOf(client, row)
    if (detail instanceof PspError && readable === 0) throw detail
    if (detail instanceof PspError) detail = { reference: row.reference, text: unreadable(row.text) }
    if (detail !== null) found.push(detail)
  }
  return found
}

/** `unavailable` is handed back to be judged with the others; every other error is thrown. */
async function detailOf(client: PayPalClient, row: Row): Promise<RawObject | PspError | null> {
  if (row.reference === null) return { reference: null, text: row.text }
  try {
    return (await readDispute(client, row.reference)).raw
  } catch (error) {
    if (!(error instanceof PspError)) throw error
    if (error.kind === 'not_found') return null
    if (error.kind === 'unavailable') return error
    throw error
  }
}

function unreadable(summary: string): string {
  return `{"unreadable":true,"summary":${summary}}`
}

async function pooled<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  async function runner(): Promise<void> {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runner))
  return results
}
