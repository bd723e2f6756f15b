import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { PayPalClient } from './client.ts'
import { noResponse } from './errors.ts'
import { type Row, referenceOf } from './rows.ts'

const DISPUTES = '/v1/customer/disputes'
/** Concurrency; PayPal publishes no limits and asks for restraint. */
const AT_ONCE = 2

/** The current state of a dispute; also read before and after each write. */
export interface ReadDispute {
  raw: RawObject
  object: Record<string, unknown>
}

/** @throws PspError invalid_request for an invalid dispute id: an empty one would list all disputes */
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
  // The translation handles a detail without an id; a detail of another dispute is an invalid response.
  if (typeof id === 'string' && id !== reference) throw noResponse('read')
  return { raw: { reference, text: text.trim(), value }, object: value }
}

/** More failures than this on one page mean an outage of PayPal, not malformed disputes. */
const MAX_UNREADABLE = 2

export interface Details {
  /** In the order of their rows, without disputes that are gone by now. */
  items: RawObject[]
  /** Keys of rows without a detail, to be read again: PayPal fails to return it, or doesn't know it (any more). */
  unread: Set<string>
  /** Keys of rows that are still to be read, because the page was cut short. */
  left: Set<string>
}

/**
 * Reads the details of rows. A detail that PayPal lists and twice fails to return is handed out as unreadable, so that
 * it does not block later ones. Details read before a rate limit, an outage or a network error are returned, because
 * fifty consecutive calls may never all succeed.
 * @throws PspError of any kind that a read has; rate_limited and unavailable only when nothing was read
 */
export async function readDetails(client: PayPalClient, rows: readonly Row[]): Promise<Details> {
  const details: (RawObject | PspError | null | undefined)[] = rows.map(() => undefined)
  const ask = async ([index, row]: readonly [number, Row]) => {
    details[index] = await detailOf(client, row)
  }
  const first = await pooled([...rows.entries()], ask)
  const failed = [...rows.entries()].filter(([index]) => details[index] instanceof PspError)
  const trouble = failed.length > MAX_UNREADABLE ? details.find((detail) => detail instanceof PspError) : null
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

/** 5xx responses are returned, to be judged together; every other error is thrown. */
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

/** Runs all, a few at once, until one throws. @returns its error, or null */
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
