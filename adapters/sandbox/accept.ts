import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { pathOf } from './client.ts'
import { type ReadChargeback, readChargeback, type Sandbox } from './fetch.ts'
import { storeWrite } from './inbox.ts'
import { marksOf, refusalOfAcceptance } from './rules.ts'

export { ANSWERABLE_STAGES as ACCEPT_STAGES } from './rules.ts'

/**
 * Accepts the chargeback, which loses it. Reads before the call, and again after a refusal.
 * @throws PspError rejected_final when it can't be accepted any more, outcome_unknown when the PSP's response was lost
 */
export async function acceptDispute(sandbox: Sandbox, request: WriteRequest): Promise<Receipt> {
  const { reference, idempotencyKey } = request
  const before = await readChargeback(sandbox, reference)
  const done = standing(before)
  if (done !== null) return done
  if (before.posted || sandbox.client === null) {
    await storeWrite(sandbox.inbox, { recoup: 'acceptance', chargebackId: reference, at: sandbox.now() })
    return { result: 'applied', requestId: null }
  }
  try {
    const answer = await sandbox.client.write(`${pathOf(reference)}/accept`, idempotencyKey, {})
    const accepted = marksOf(answer.value).acceptedAt !== null
    return { result: accepted ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'rejected_final') throw error
    const after = standing(await readChargeback(sandbox, reference))
    if (after !== null) return after
    throw error
  }
}

/** A receipt when nothing is left to do, null when it can be accepted. @throws PspError when it never can */
function standing({ shape }: ReadChargeback): Receipt | null {
  if (marksOf(shape).acceptedAt !== null) return { result: 'already_applied', requestId: null }
  const refusal = refusalOfAcceptance(shape)
  if (refusal !== null) throw new PspError('rejected_final', refusal)
  return null
}
