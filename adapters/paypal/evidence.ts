import type { EvidenceRequirements, Receipt, SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { PayPalClient } from './client.ts'
import { submissionBody } from './documents/evidence-body.ts'
import { closedReason, requirementsOf, routeOf } from './evidence-limits.ts'
import { disputePath, readDispute } from './fetch.ts'
import { sentByUs, submissionsOf } from './probe.ts'

/** The current requirements of a dispute. @throws PspError of any kind that a read has */
export async function describeEvidence(
  client: PayPalClient,
  now: Date,
  reference: string,
): Promise<EvidenceRequirements> {
  const { object } = await readDispute(client, reference)
  return { ...requirementsOf(object, now), submissions: submissionsOf(object).length }
}

/**
 * Submits everything, files included, in one call, because PayPal has no staging. When PayPal asks again later,
 * evidence may be sent again; within one round the same evidence is sent once.
 * @throws PspError rejected_final when PayPal accepts none (any more), outcome_unknown when its response was lost
 */
export async function submitEvidence(client: PayPalClient, now: Date, request: SubmissionRequest): Promise<Receipt> {
  const { reference, digest, idempotencyKey } = request
  const { object: before } = await readDispute(client, reference)
  if (sentByUs(before, digest)) return { result: 'already_applied', requestId: null }
  const route = routeOf(before)
  const { reason } = requirementsOf(before, now)
  if (route === null || reason !== null) throw new PspError('rejected_final', reason ?? closedReason(before))
  const body = submissionBody(route, before, request)
  try {
    const answer = await client.write(disputePath(reference, route), idempotencyKey, body)
    return { result: (await isThere(client, request)) ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    const refused = error instanceof PspError && ['rejected_final', 'invalid_request'].includes(error.kind)
    if (refused && (await isThere(client, request))) return { result: 'already_applied', requestId: null }
    throw error
  }
}

/** False also when it can't be read: the write has its response, and its receipt must not depend on a read. */
async function isThere(client: PayPalClient, { reference, digest }: SubmissionRequest): Promise<boolean> {
  try {
    return sentByUs((await readDispute(client, reference)).object, digest)
  } catch (error) {
    if (error instanceof PspError) return false
    throw error
  }
}
