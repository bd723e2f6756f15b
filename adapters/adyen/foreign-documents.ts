import { PspError } from '../errors.ts'
import type { AdyenClient } from './client.ts'
import type { DisputeState } from './fetch.ts'

const FOREIGN =
  'Somebody else has put documents on this dispute in the Customer Area, which would go out with this evidence: nothing ' +
  'was sent. Defend it there, or take them away and request this again.'

/**
 * Refuses to send a defence with documents of others: Adyen sends all documents that it holds. Only those of types that
 * Recoup uploaded in this stage are Recoup's. @throws PspError rejected_final when there are others
 */
export async function refuseForeign(client: AdyenClient, { raw, uploaded }: DisputeState): Promise<void> {
  const reasons = (await client.reasons(raw.reference ?? '')) ?? []
  const there = reasons.flatMap(({ documents }) => documents).filter(({ available }) => available)
  if (there.some(({ type }) => !uploaded.includes(type))) throw new PspError('rejected_final', FOREIGN)
}
