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

export interface Details {
  /** In the order of their rows. A dispute that is gone by now is left out. */
  items: RawObject[]
  /** Marks of rows without a detail, to be read again: PayPal fails to show it, or doesn't know it (any more). */
  unread: Set<string>
  /** Marks of rows that are still to be read: the page was cut short. */
  left: Set<string>
}

/**
 * The details behind rows. One that PayPal lists and fails to show twice is handed out as unreadable: it must not hold
 * up all that come after it. What was read before PayPal's limit, its trouble or a bad line cut the page short is handed
 * out: fifty calls in a row that all go well can't be waited for.
 * @throws PspError of any kind that a read has; rate_limited and unavailable only when nothing was read
 */
export async function readDetails(client: PayPalClient, rows: readonly Row[]): Promise<Details> {
  const details: (RawObject | PspError | null | undefined)[] = rows.map(() => undefined)
  const ask = async ([index, row]: readonly [number, Row]) => {
    details[index] = await detailOf(client, row)
  }
  const first = await pooled([...rows.entries()], ask)
  const failed = [...rows.entries()].filter(([index]) => details[index] instanceof PspError)
  const trouble = failed.length > MOST_UNREADABLE ? details.find((detail) => detail instanceof PspError) : null
  const stop = first ?? trouble ?? (await pooled(failed, ask))
  const some = details.some((detail) => detail !== undefined && !(detail instanceof PspError))
  const cut = stop instanceof PspError && ['rate_limited', 'unavailable'].includes(stop.kind) && some
  if (stop !== null && !cut) throw stop
  const found: Details = { items: [], unread: new Set(), left: new Set() }
  for (const [index, { reference, mark, text }] of rows.entries()) {
    const detail = details[index]
    if (detail === undefined || (cut && detail instanceof PspError)) found.left.add(mark)
    else if (detail === null) found.unread.add(mark)
    else if (detail instanceof PspError) {
      found.unread.add(mark)
      found.items.push({ reference, text: `{"unreadable":true,"summary":${text}}` })
    } else found.items.push(detail)
  }
  return found
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

/** All of them, a few at once, to the first that throws: its error, or null. */
async function pooled<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<unknown> {
  let stop: unknown = null
  const waiting = items.values()
  async function runner(): Promise<void> {
    while (stop === null) {
      const { done, value } = waiting.next()
      if (done) return
      await work(value).catch((error: unknown) => {
        stop ??= error
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runner))
  return stop
}
