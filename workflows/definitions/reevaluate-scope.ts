import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { type ReevaluateScopeInput, SCOPE_CHANGED, type ScopeChange } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

const { reevaluateSlice } = wf.proxyActivities<Pick<Activities, 'reevaluateSlice'>>(profiles.recordSlice)

/** The rules of an integration changed, or chargebacks were decided under outdated rules. */
export const scopeChanged = wf.defineSignal<[ScopeChange]>(SCOPE_CHANGED)

/**
 * Decides a merchant's chargebacks at one PSP again under the current rules, by integration and slice. One run at a
 * time: a further change is signalled to it and restarts that integration; a known change has no effect. Completes when
 * all requests are done.
 */
export async function reevaluateScope(input: ReevaluateScopeInput): Promise<{ seen: number; changed: number }> {
  const known = new Map(input.known)
  const due = new Map(input.due)
  const note = ({ integrationId, asked }: ScopeChange) => {
    if (asked <= (known.get(integrationId) ?? 0)) return
    known.set(integrationId, asked)
    due.set(integrationId, asked)
  }
  wf.setHandler(scopeChanged, note)
  const totals = { ...input.totals }

  for (let next = first(due); next; next = first(due)) {
    const [integrationId, asked] = next
    let after: string | null = null
    do {
      const slice: Awaited<ReturnType<typeof reevaluateSlice>> = await reevaluateSlice({ integrationId, asked, after })
      totals.seen += slice.seen
      totals.changed += slice.changed
      wf.setCurrentDetails(
        `${totals.seen} chargebacks looked at, ${totals.changed} changed; ${due.size} integrations left`,
      )
      after = slice.next
    } while (after !== null && due.get(integrationId) === asked)
    if (after === null && due.get(integrationId) === asked) due.delete(integrationId)
    if (due.size > 0 && wf.workflowInfo().continueAsNewSuggested)
      await wf.continueAsNew<typeof reevaluateScope>({ ...input, known: [...known], due: [...due], totals })
  }
  return totals
}

const first = (due: Map<string, number>): [string, number] | undefined => due.entries().next().value
