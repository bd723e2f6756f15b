import type { SubmissionRequest } from '../../contract.ts'
import { DEFINITE_KINDS, PspError } from '../../errors.ts'
import { asRecord } from '../../shared/raw-json.ts'
import type { BraintreeClient } from '../client.ts'
import { noResponse } from '../errors.ts'
import { compareEvidence, type EvidenceDiff } from '../evidence-diff.ts'
import { GENERAL } from '../evidence-limits.ts'
import { readDispute } from '../fetch.ts'
import { CATEGORY_CODES, Refusal } from '../refusals.ts'
import { labelled } from './marks.ts'

/**
 * Completes a package at the open dispute: documents first, because they prove that the texts after them are Recoup's.
 * Surplus entries of Recoup's are removed first. An attempt may stop anywhere in between: the next one recognises
 * Recoup's entries.
 * @returns false when it was complete and there were no other entries of Recoup's
 */
export async function attach(
  client: BraintreeClient,
  { reference }: Pick<SubmissionRequest, 'reference'>,
  { missing, surplus }: EvidenceDiff,
): Promise<boolean> {
  for (const { id } of surplus) await remove(client, reference, id)
  for (const [category, documentId] of missing.files) await add(client, reference, category, { documentId })
  for (const [category, content] of missing.texts) await add(client, reference, category, { content })
  return surplus.length + missing.files.length + missing.texts.length > 0
}

/**
 * Removes what is certainly Recoup's before a submission fails, so that it is not sent with somebody else's evidence.
 * @throws PspError that may be retried; entries whose removal Braintree refuses stay
 */
export async function withdraw(client: BraintreeClient, request: SubmissionRequest): Promise<void> {
  try {
    const { evidence } = await readDispute(client, request.reference)
    for (const { id } of compareEvidence(evidence, request).own) await remove(client, request.reference, id)
  } catch (error) {
    const definite: readonly string[] = DEFINITE_KINDS
    if (!(error instanceof PspError) || !definite.includes(error.kind)) throw error
  }
}

/** 404 is fine: somebody else removed it. */
async function remove(client: BraintreeClient, reference: string, evidenceId: string): Promise<void> {
  try {
    await client.remove((gateway) => gateway.dispute.removeEvidence(reference, evidenceId))
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'not_found') throw error
  }
}

type Content = { documentId: string } | { content: string }

/** Replaces a category that Braintree refuses for this dispute by GENERAL, once. */
async function add(client: BraintreeClient, reference: string, category: string, what: Content): Promise<void> {
  try {
    const answer = await client.create((gateway) =>
      'content' in what
        ? gateway.dispute.addTextEvidence(reference, { ...what, category })
        : gateway.dispute.addFileEvidence(reference, { ...what, category }),
    )
    const id = asRecord(answer.evidence)?.id
    if (typeof id !== 'string' || id === '') throw noResponse('write')
  } catch (error) {
    if (category === GENERAL || !(error instanceof Refusal) || !error.has(CATEGORY_CODES)) throw error
    await add(client, reference, GENERAL, 'content' in what ? { content: labelled(category, what.content) } : what)
  }
}
