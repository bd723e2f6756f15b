import { until } from '../../harness/until.ts'
import { askPolls } from '../testbed/polls.ts'
import type { Testbed } from '../testbed/prepare.ts'
import type { AdapterName } from '../testbed/psps.ts'
import { sumsOf } from './ingested.ts'

/**
 * I9 of a whole suite: in each connected account the sums by currency and status equal the PSP's. `polled`: others
 * changed disputes at the PSP, too, which the next poll reads.
 * @returns violations
 */
export async function totalsTrue(testbed: Testbed, { polled = false } = {}): Promise<string[]> {
  const all = testbed.stack.db.selectFrom('integration').select(['integration_id', 'source', 'external_identifier'])
  const integrations = (await all.execute()).filter((one) => !testbed.others.has(one.integration_id))
  const wrong = async () => {
    const sentences: string[] = []
    for (const { integration_id, source, external_identifier: account } of integrations)
      sentences.push(
        ...(await sumsOf(testbed, { adapter: source as AdapterName, account, integrationId: integration_id })),
      )
    return sentences
  }
  const first = await wrong()
  if (!polled || first.length === 0) return first
  await askPolls(
    testbed,
    integrations.map((one) => one.integration_id),
  )
  return until('the sums equal the PSP’s', wrong, { holds: (sentences) => sentences.length === 0 }).catch(wrong)
}
