import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { PollIntegrationInput, PollTotals } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

const NOTHING: PollTotals = { pages: 0, seen: 0, created: 0, changed: 0, quarantined: 0, enriched: 0 }
/** Slices per run before continue-as-new. */
const SLICES_PER_RUN = 200

const records = wf.proxyActivities<Pick<Activities, 'recordRefusedCredential'>>(profiles.record)

/** The first slice is over soon: its slot is wanted by other polls that begin, ms. */
const FIRST_SLICE_MS = 20_000

/** The list is read at this interval, however many transactions are still to be read. */
const ENRICHING_MS = 5 * 60 * 1000

/** One poll: pages in time-boxed slices, then the transactions of new chargebacks. Independent of its starter. */
export async function pollIntegration(input: PollIntegrationInput): Promise<PollTotals & { stopped?: string }> {
  const totals = { ...(input.totals ?? NOTHING) }
  const showProgress = (doing: string) => wf.setCurrentDetails(`${doing}\n\n${sentence(totals)}`)
  for (let slice = (input.iteration ?? 0) + 1; ; slice++) {
    const { ingestPages, enrichChargebacks } = slice === 1 ? firstSlice(input) : furtherSlice(input, slice)
    showProgress(`reading disputes at ${input.source}`)
    const sliceMs = slice === 1 ? { sliceMs: FIRST_SLICE_MS } : {}
    const ingested = await ingestPages({ integrationId: input.integrationId, ...sliceMs })
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

type Reading = Pick<Activities, 'ingestPages' | 'enrichChargebacks'>

const firstSlice = (input: PollIntegrationInput) =>
  wf.proxyActivities<Reading>(profiles.poll(input, `slice 1 of ${input.source}`))

const furtherSlice = (input: PollIntegrationInput, slice: number) =>
  wf.proxyActivities<Reading>(profiles.backfill(input, `slice ${slice} of ${input.source}`))

function sentence(totals: PollTotals): string {
  return `${totals.seen} disputes read on ${totals.pages} pages: ${totals.created} new, ${totals.changed} changed, ${totals.quarantined} quarantined, ${totals.enriched} enriched`
}
