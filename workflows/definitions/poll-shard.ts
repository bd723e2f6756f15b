import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { PollShardInput, ShardTotals } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** One run of a shard: polls what is due for a minute. Its result is what operators read. */
export async function pollShard(input: PollShardInput): Promise<ShardTotals & { sentence: string }> {
  const { pollDue } = wf.proxyActivities<Pick<Activities, 'pollDue'>>(
    profiles.shard(input.pace, `poll what is due, shard ${input.shard}`),
  )
  wf.setCurrentDetails('polling what is due')
  const totals = await pollDue({ shard: input.shard, pace: input.pace })
  const sentence =
    `Integrations: ${totals.polled} polled, ${totals.failed} failed, ${totals.unfinished} to be continued. ` +
    `Disputes: ${totals.seen} read on ${totals.pages} pages, ${totals.created} new, ${totals.changed} changed, ` +
    `${totals.quarantined} quarantined, ${totals.enriched} enriched.`
  wf.setCurrentDetails(sentence)
  return { sentence, ...totals }
}
