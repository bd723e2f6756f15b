import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../db/core/connect.ts'
import { type Fresh, type FreshRow, hasFresh, readFresh, readRestored } from '../db/events/fresh-rows.ts'
import {
  announceEvents,
  isOtherCluster,
  lastPosition,
  lockEventState,
  type NewEvent,
  takeLines,
  writeEvents,
} from '../db/events/positions.ts'
import { eventsOf, isQuietAtFirst } from '../domain/events/rules.ts'

/** Timeline rows of one transaction of the sequencer. */
const BATCH = 500

/** Adds to the sequencer's transaction: `after` < position ≤ `to` are the events just written. */
export type FanOut = (trx: Database, positions: { after: bigint; to: bigint }) => Promise<void>

export interface Sequenced {
  events: number
  /** More rows are ready: sequence again at once. */
  hasMore: boolean
}

const NOTHING: Sequenced = { events: 0, hasMore: false }

/**
 * Gives the next events their positions in one transaction. Any number of sequencers may call it: the lock of the state
 * lets one at a time work, and the others go on without waiting.
 */
export async function sequence(db: Database, fanOut?: FanOut): Promise<Sequenced> {
  if (!(await hasFresh(db))) return NOTHING
  return db.transaction().execute(async (trx) => {
    const state = await lockEventState(trx)
    if (!state) return NOTHING
    const after = lastPosition(state)
    const fresh: Fresh & { newest?: bigint } = isOtherCluster(state)
      ? await readRestored(trx)
      : await readFresh(trx, BATCH)
    // After the rows that were written before them.
    const lines = fresh.hasMore ? [] : await takeLines(trx, BATCH)
    const events = [...timelineEvents(fresh.rows), ...lines].map((one) => ({ ...one, eventId: uuidv7() }))
    const to = await writeEvents(trx, events, {
      ...state,
      after,
      nextXid: fresh.nextXid,
      restored: fresh.newest ?? null,
    })
    if (to > after) {
      await fanOut?.(trx, { after, to })
      await announceEvents(trx, after)
    }
    return { events: Number(to - after), hasMore: fresh.hasMore || lines.length === BATCH }
  })
}

/** The events of timeline rows, in the order of the rows. @param rows whole transactions, in their order */
function timelineEvents(rows: readonly FreshRow[]): Omit<NewEvent, 'eventId'>[] {
  const groups = new Map<string, FreshRow[]>()
  for (const row of rows) {
    const key = `${row.xid} ${row.chargebackId}`
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  const events = [...groups.values()].flatMap((group) =>
    eventsOf(group).map(({ type, commandId, rows: own }) => {
      const { merchantUuid, chargebackId, id, when } = own[0] as FreshRow
      return {
        merchantUuid,
        type,
        subject: commandId ?? chargebackId,
        chargebackId,
        timelineFrom: id,
        timelineTo: own.at(-1)?.id ?? id,
        quiet: isQuietAtFirst(type) && own.some((row) => row.isFirstLoad),
        occurredAt: when,
      }
    }),
  )
  return events.sort((a, b) => (a.timelineFrom < b.timelineFrom ? -1 : 1))
}
