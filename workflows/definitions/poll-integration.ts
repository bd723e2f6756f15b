import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { PollIntegrationInput, PollTotals } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

const NOTHING: PollTotals = { pages: 0, seen: 0, created: 0, changed: 0, quarantined: 0, enriched: 0 }
/** Slices per run before continue-as-new. */
const SLICES_PER_RUN = 200

const records = wf.proxyActivities<Pick<Activities, 'recordRefusedCredential'>>(profiles.record)

/** The list is read at this interval, however many transactions are still to be read. */
const ENRICHING_MS = 5 * 60 * 1000

/** One poll: pages in time-boxed slices, then the transactions of new chargebacks. Independent of its starter. */
export async function pollIntegration(input: PollIntegrationInput): Promise<PollTotals & { stopped?: string }> {
  const totals = { ...(input.totals ?? NOTHING) }
  const showProgress = (doing: string) => wf.setCurrentDetails(`${doing}\n\n${sentence(totals)}`)
  for (let slice = (input.iteration ?? 0) + 1; ; slice++) {
    const { ingestPages, enrichChargebacks } = polling(input, slice)
    showProgress(`reading disputes at ${input.source}`)
    const ingested = await ingestPages({ integrationId: input.integrationId })
    for (const key of ['pages', 'seen', 'created', 'changed', 'quarantined'] as const) totals[key] += ingested[key]
    if (ingested.stopped) {
      showProgress(`stopped: ${ingested.stopped}`)
      if (ingested.stopped === 'credential refused')
        await records.recordRefusedCredential({ integrationId: input.integrationId })
      return { ...totals, stopped: ingested.stopped }
    }
    if (ingested.done) {
      showProgress(`reading transactions at ${input.source}`)
      const started = Date.now()
      for (let more = ingested.withoutContext; more; ) {
        const enriched = await enrichChargebacks({ integrationId: input.integrationId })
        totals.enriched += enriched.enriched
        more = !enriched.done
        // Evaluated only when it matters, so that a short poll records no marker.
        if (more && Date.now() - started > ENRICHING_MS && wf.patched('list between transactions'))
          await wf.continueAsNew<typeof pollIntegration>({ ...input, totals, iteration: slice })
      }
      showProgress('done')
      return totals
    }
    if (wf.workflowInfo().continueAsNewSuggested || slice % SLICES_PER_RUN === 0)
      await wf.continueAsNew<typeof pollIntegration>({ ...input, totals, iteration: slice })
  }
}

const polling = (input: PollIntegrationInput, slice: number) =>
  wf.proxyActivities<Pick<Activities, 'ingestPages' | 'enrichChargebacks'>>(
    profiles.poll(input, `slice ${slice} of ${input.source}`),
  )

function sentence(totals: PollTotals): string {
  return `${totals.seen} disputes read on ${totals.pages} pages: ${totals.created} new, ${totals.changed} changed, ${totals.quarantined} quarantined, ${totals.enriched} enriched`
}
