import { PspError } from '../errors.ts'
import type { AdyenClient } from './client.ts'
import type { Standing } from './fetch.ts'

const FOREIGN =
  'Somebody else has put documents on this dispute in the Customer Area, which would go out with this evidence: nothing ' +
  'was sent. Defend it there, or take them away and request this again.'

/**
 * Whatever documents Adyen holds go out with a defence. Those of types that we uploaded in this stage are ours; nothing of
 * two parties may meet in one answer. @throws PspError rejected_final where there are others
 */
export async function refuseForeign(client: AdyenClient, { raw, uploaded }: Standing): Promise<void> {
  const reasons = (await client.reasons(raw.reference ?? '')) ?? []
  const there = reasons.flatMap(({ documents }) => documents).filter(({ available }) => available)
  if (there.some(({ type }) => !uploaded.includes(type))) throw new PspError('rejected_final', FOREIGN)
}
