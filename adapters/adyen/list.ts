import type { DisputePage, ListRequest, RawObject, StoredNotification } from '../contract.ts'
import { prefetched } from '../shared/prefetched.ts'
import type { AdyenCursor } from './cursor.ts'
import { isLive, itemsOf, type RawItem } from './events/items.ts'
import {
  concernsDispute,
  gather,
  isForeign,
  isUnmatched,
  itemsIn,
  type Mailbox,
  markedReference,
  ownerOf,
} from './inbox.ts'

/** Notifications per page, not disputes. */
export const PAGE_SIZE = 100

/**
 * The disputes of the next notifications in the inbox, each reduced from everything stored about it. A dispute is
 * returned with the page of its newest notification, so that a long backlog returns it once.
 */
export async function listDisputes(
  { inbox, ...account }: Mailbox,
  request: ListRequest<AdyenCursor>,
): Promise<DisputePage<AdyenCursor>> {
  const { position } = request.cursor
  const rows = await inbox.read(position, PAGE_SIZE)
  const mailbox = { ...account, inbox: await prefetched(inbox, referencesIn(rows)) }
  const here = new Set(rows.map((row) => row.position))
  const done = new Set<string>()
  const items: RawObject[] = []

  /** @returns false when there is no such dispute */
  async function handOut(reference: string, evenIfLater: boolean): Promise<boolean> {
    const found = await gather(mailbox, reference)
    if (!found) return false
    if (done.has(reference) || (!evenIfLater && found.last !== null && !here.has(found.last))) return true
    done.add(reference)
    items.push(found.raw)
    return true
  }

  for (const row of rows) {
    if (isLive(row.body) !== mailbox.live && itemsOf(row.body).some(concernsDispute)) {
      items.push(unusable(row, mailbox.live ? 'it is from the test environment' : 'it is from the live environment'))
      continue
    }
    if (itemsOf(row.body).some((item) => isForeign(mailbox, item))) {
      items.push(unusable(row, 'it is about another merchant account'))
      continue
    }
    const marked = markedReference(row)
    if (marked !== null) await handOut(marked, false)
    for (const item of itemsIn(mailbox, row)) {
      if (!concernsDispute(item)) continue
      const reference = item.pspReference
      if (reference === null) items.push({ reference: null, text: item.text })
      else if (!done.has(reference) && !(await handOut(reference, false)) && isUnmatched(item)) {
        const owner = await ownerOf(mailbox, item)
        if (owner === null || !(await handOut(owner, true))) items.push(unowned(item))
      }
    }
  }
  const cursor = { position: rows.at(-1)?.position ?? position }
  return { items, cursor, hasMore: rows.length === PAGE_SIZE }
}

/** References of disputes and payments that the page needs, for one round trip. */
function* referencesIn(rows: readonly StoredNotification[]): Generator<string> {
  for (const row of rows) {
    const marked = markedReference(row)
    if (marked !== null) yield marked
    for (const { pspReference, originalReference } of itemsOf(row.body).filter(concernsDispute)) {
      if (pspReference !== null) yield pspReference
      if (originalReference !== null) yield originalReference
    }
  }
}

/** Stored and shown, but not a dispute: `toChargeback` gives the reason. */
function unusable(row: StoredNotification, why: string): RawObject {
  return { reference: null, text: `{"unusable":${JSON.stringify(why)},"notification":${row.body.trim()}}` }
}

/** Under its reference, so that it leaves quarantine when a dispute with that reference appears. */
function unowned({ pspReference, text }: RawItem): RawObject {
  const why = 'it may name a payment in place of a dispute, and no dispute that it could be about is known yet'
  return { reference: pspReference, text: `{"unusable":${JSON.stringify(why)},"notification":${text}}` }
}
