import { until } from '../../harness/until.ts'
import { askPolls } from '../ground/polls.ts'
import type { Ground } from '../ground/prepare.ts'
import type { AdapterName } from '../ground/psps.ts'
import { sumsOf } from './ingested.ts'

/**
 * I9 of a whole suite: in each connected account the sums by currency and status equal the PSP's. `polled`: others
 * changed disputes at the PSP, too, which the next poll reads.
 * @returns violations
 */
export async function totalsTrue(ground: Ground, { polled = false } = {}): Promise<string[]> {
  const all = ground.stack.db.selectFrom('integration').select(['integration_id', 'source', 'external_identifier'])
  const integrations = (await all.execute()).filter((one) => !ground.others.has(one.integration_id))
  const wrong = async () => {
    const sentences: string[] = []
    for (const { integration_id, source, external_identifier: account } of integrations)
      sentences.push(
        ...(await sumsOf(ground, { adapter: source as AdapterName, account, integrationId: integration_id })),
      )
    return sentences
  }
  const first = await wrong()
  if (!polled || first.length === 0) return first
  await askPolls(
    ground,
    integrations.map((one) => one.integration_id),
  )
  return until('the sums equal the PSP’s', wrong, { holds: (sentences) => sentences.length === 0 }).catch(wrong)
}
