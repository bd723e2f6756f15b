import { Context } from '@temporalio/activity'
import { PspError } from '../../../adapters/errors.ts'
import { setRereads } from '../../../db/polling/ingest.ts'
import { advanceCursor } from '../../../db/polling/lease.ts'
import { type DueChargeback, dueChargebacks, noteStale, postponeStale } from '../../../db/polling/stale.ts'
import { staleAt } from '../../../domain/stale.ts'
import type { Polling } from './leased.ts'

/** Disputes that one poll reads, one after the other. */
const ASKED = 20

/**
 * Inbox-only disputes past their expected end: asks the PSP whether they can still be answered, and notifies operators.
 * The status stays. @returns how many were checked
 */
export async function sweepStale({ deps, connection, lease, psp }: Polling): Promise<number> {
  const now = deps.now()
  const due = await dueChargebacks(deps.db, connection.integrationId, ASKED)
  if (due.length === 0) return 0
  const isStale = (one: DueChargeback) => (staleAt(one)?.getTime() ?? Number.POSITIVE_INFINITY) <= now.getTime()
  await setRereads(
    deps.db,
    due.filter((one) => !isStale(one)).map((one) => ({ id: one.id, rereadAfter: staleAt(one) })),
  )
  const asked: (DueChargeback & { answerable: boolean })[] = []
  for (const one of due.filter(isStale)) {
    try {
      const answer = await psp.call(async (adapter) => (await adapter.checkAnswerable?.(one.reference)) ?? null)
      asked.push({ ...one, answerable: answer?.answerable ?? false })
    } catch (error) {
      const kind = error instanceof PspError ? error.kind : null
      if (kind !== 'unavailable' && kind !== 'outcome_unknown') throw error
      // The PSP may be down: stop, and postpone this one so that the others come first.
      await postponeStale(deps.db, one.id)
      break
    }
    Context.current().heartbeat({ asked: asked.length })
    if (Context.current().cancellationSignal.aborted) await Context.current().cancelled
  }
  await advanceCursor(deps.db, lease, null)
  const { integrationId, source } = connection
  const found = await noteStale(deps.db, asked, source)
  if (found > 0) {
    deps.stale?.(source, found)
    deps.log.warn({ integrationId, found }, 'stale disputes found: notifications may be lost')
  }
  return asked.length
}
