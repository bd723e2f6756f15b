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

/** More than these on one page are no odd disputes but a PayPal in trouble. */
const MOST_UNREADABLE = 2

/**
 * The details behind rows, in their order. A dispute that is gone by now is left out. A single one that PayPal lists
 * and fails to show twice, while it shows others, is handed out as unreadable: it must not hold up all that come after
 * it. It is named in `unreadable`, to be read again.
 */
export async function readDetails(
  client: PayPalClient,
  rows: readonly Row[],
): Promise<{ items: RawObject[]; unreadable: Set<string> }> {
  const details = await pooled(rows, (row) => detailOf(client, row))
  const failed = details.filter((detail) => detail instanceof PspError)
  const [error] = failed
  if (error && (failed.length > MOST_UNREADABLE || failed.length === details.length)) throw error
  const items: RawObject[] = []
  const unreadable = new Set<string>()
  for (const [index, row] of rows.entries()) {
    const first = details[index] ?? null
    const detail = first instanceof PspError ? await detailOf(client, row) : first
    if (detail instanceof PspError) {
      unreadable.add(row.mark)
      items.push({ reference: row.reference, text: `{"unreadable":true,"summary":${row.text}}` })
    } else if (detail !== null) items.push(detail)
  }
  return { items, unreadable }
}

/** What PayPal itself answered with a 5xx is handed back to be judged with the others; every other error is thrown. */
async function detailOf(client: PayPalClient, row: Row): Promise<RawObject | PspError | null> {
  if (row.reference === null) return { reference: null, text: row.text }
  try {
    return (await readDispute(client, row.reference)).raw
  } catch (error) {
    if (!(error instanceof PspError)) throw error
    if (error.kind === 'not_found') return null
    if (error.kind === 'unavailable' && error.requestId !== undefined) return error
    throw error
  }
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
