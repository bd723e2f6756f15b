import type { RawObject } from '../../../adapters/contract.ts'
import { writePage } from '../../../db/polling/ingest.ts'
import type { Lease } from '../../../db/polling/lease.ts'
import type { Page } from '../../../db/polling/page.ts'
import type { ActivityDeps } from '../deps.ts'
import { sqlState } from '../failures.ts'
import type { Polling } from './leased.ts'
import { type PreparedPage, preparePage, quarantined } from './pages.ts'

export interface Stored {
  created: number
  changed: number
  quarantined: number
}

/** Compares, translates and writes objects that are no page of the list. The cursor doesn't move. @throws LeaseLost */
export async function storeObjects(
  { deps, connection, lease, psp }: Polling,
  items: RawObject[],
  readAt: Date,
): Promise<Stored> {
  return writePrepared(deps, lease, await preparePage(deps, connection, psp, { items }, null, readAt))
}

/**
 * Writes a page. Objects that the database rejects as data (SQLSTATE 22, 23), which validation can't foresee, are found
 * by halving the page, and quarantined. The cursor moves only with the last half.
 * @throws LeaseLost
 */
export async function writePrepared(deps: ActivityDeps, lease: Lease, prepared: PreparedPage): Promise<Stored> {
  const { page, before, raws } = prepared
  try {
    const counts = await writePage(deps.db, deps.ring, lease, page)
    return { ...counts, quarantined: page.quarantined.length }
  } catch (error) {
    const state = sqlState(error)
    if (page.chargebacks.length === 0 || !state || !/^2[23]/.test(state)) throw error
    const write = (part: Page) => writePrepared(deps, lease, { page: part, before, raws })
    const listed = page.listed && { ...page.listed, complete: false }
    if (page.chargebacks.length === 1) {
      const raw = raws.find((one) => one.reference === page.raw[0]?.reference) as PreparedPage['raws'][number]
      const bad = quarantined(raw, `the database refuses a value of it (${state})`)
      const none = { chargebacks: [], raw: [], timeline: [] }
      return write({ ...page, ...none, listed, quarantined: [...page.quarantined, bad] })
    }
    const half = Math.ceil(page.chargebacks.length / 2)
    const first = await write({ ...part(page, 0, half), listed, cursor: before, quarantined: [], rereads: [] })
    const second = await write({ ...part(page, half), listed })
    return {
      created: first.created + second.created,
      changed: first.changed + second.changed,
      quarantined: first.quarantined + second.quarantined,
    }
  }
}

/** The page with some of its chargebacks, and what belongs to them. */
function part(page: Page, from: number, to?: number): Page {
  const chargebacks = page.chargebacks.slice(from, to)
  const ids = new Set(chargebacks.map((one) => one.id))
  return {
    ...page,
    chargebacks,
    raw: page.raw.slice(from, to),
    timeline: page.timeline.filter((one) => ids.has(one.chargeback_id)),
  }
}
