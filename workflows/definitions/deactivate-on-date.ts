import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import {
  type DeactivateOnDateInput,
  type DeactivationDate,
  type DeactivationPlace,
  RESCHEDULE,
  SEARCH_ATTRIBUTES,
} from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** The server stores a timer's nanoseconds in 64 bits, 292 years; a date may be later. */
const LONGEST_TIMER_MS = 365 * 24 * 3600 * 1000

const { beginDeactivation, moveDeactivated, finishDeactivation } = wf.proxyActivities<
  Pick<Activities, 'beginDeactivation' | 'moveDeactivated' | 'finishDeactivation'>
>(profiles.recordSlice)

/** Moves the date. Rejects a date that was requested before the known one. */
export const reschedule = wf.defineUpdate<void, [DeactivationDate]>(RESCHEDULE)

/**
 * Waits for the date on which a merchant or an integration is deactivated, then takes its chargebacks out of handling.
 * The row decides whether the date has passed, so that a lost move of the date can't deactivate too early.
 *
 * Runs live for years, through many versions of this code: changes of their control flow need `patched`. With worker
 * versioning this is an AUTO_UPGRADE workflow, but a server rejects that value from a worker without versioning.
 */
export async function deactivateOnDate(input: DeactivateOnDateInput): Promise<{ moved: number }> {
  const { kind, id } = input
  let date: DeactivationDate = { effectiveAt: input.effectiveAt, revision: input.revision }
  const move = (next: DeactivationDate) => {
    date = next
  }
  wf.setHandler(reschedule, move, {
    validator(next) {
      if (next.revision < date.revision) throw wf.ApplicationFailure.nonRetryable('a later date is known', 'superseded')
    },
  })
  let shown = date.revision
  for (;;) {
    if (date.revision !== shown) upsertDate(date)
    shown = date.revision
    wf.setCurrentDetails(`waits until ${date.effectiveAt} (revision ${date.revision})`)
    const { revision } = date
    const left = Date.parse(date.effectiveAt) - Date.now()
    if (left > 0) {
      await wf.condition(() => date.revision !== revision, Math.min(left, LONGEST_TIMER_MS))
    } else {
      const begun = await beginDeactivation({ kind, id })
      if (begun.reached) break
      if (begun.date.revision > date.revision) date = begun.date
      // The database's clock decides, and may be behind this one.
      else await wf.sleep(1_000)
    }
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof deactivateOnDate>({ ...input, ...date })
  }
  let moved = await moveAll(input)
  // Decisions made just before the date and written after it are stored by now.
  await wf.sleep(input.pace.heartbeatMs)
  moved += await moveAll(input)
  await finishDeactivation({ kind, id })
  wf.setCurrentDetails(`done: ${moved} chargebacks are no longer handled`)
  return { moved }
}

function upsertDate(date: DeactivationDate): void {
  wf.upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.EffectiveAt, value: new Date(date.effectiveAt) }])
}

async function moveAll({ kind, id }: DeactivateOnDateInput): Promise<number> {
  let moved = 0
  let place: DeactivationPlace | null = { integrationId: null, after: null }
  while (place) {
    const slice: Awaited<ReturnType<typeof moveDeactivated>> = await moveDeactivated({ kind, id, place })
    moved += slice.moved
    place = slice.next
    wf.setCurrentDetails(`${moved} chargebacks are no longer handled`)
  }
  return moved
}
