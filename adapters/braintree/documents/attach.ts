import type { SubmissionRequest } from '../../contract.ts'
import { DEFINITE_KINDS, PspError } from '../../errors.ts'
import { asRecord } from '../../shared/raw-json.ts'
import type { BraintreeClient } from '../client.ts'
import { unanswered } from '../errors.ts'
import { GENERAL } from '../evidence-limits.ts'
import { readDispute } from '../fetch.ts'
import { CATEGORY_CODES, Refusal } from '../refusals.ts'
import { type Standing, standingOf } from '../standing.ts'
import { labelled } from './marks.ts'

/**
 * Puts what is missing of a package at the open dispute: documents first, for they prove that the texts after them are
 * ours, too. What is ours and surplus goes before. An attempt may end anywhere in between: the next one knows what is ours.
 * @returns false when all of it is there already, and nothing of ours beside it
 */
export async function attach(
  client: BraintreeClient,
  { reference }: Pick<SubmissionRequest, 'reference'>,
  { missing, surplus }: Standing,
): Promise<boolean> {
  for (const { id } of surplus) await remove(client, reference, id)
  for (const [category, documentId] of missing.files) await add(client, reference, category, { documentId })
  for (const [category, content] of missing.texts) await add(client, reference, category, { content })
  return surplus.length + missing.files.length + missing.texts.length > 0
}

/**
 * Takes away what is ours for certain, before a submission fails: nothing of it may go out with somebody else's.
 * @throws PspError that may be tried again; what Braintree refuses for good stays
 */
export async function withdraw(client: BraintreeClient, request: SubmissionRequest): Promise<void> {
  try {
    const { evidence } = await readDispute(client, request.reference)
    for (const { id } of standingOf(evidence, request).own) await remove(client, request.reference, id)
  } catch (error) {
    const definite: readonly string[] = DEFINITE_KINDS
    if (!(error instanceof PspError) || !definite.includes(error.kind)) throw error
  }
}

/** Gone is gone, whoever took it away. */
async function remove(client: BraintreeClient, reference: string, evidenceId: string): Promise<void> {
  try {
    await client.remove((gateway) => gateway.dispute.removeEvidence(reference, evidenceId))
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'not_found') throw error
  }
}

type Content = { documentId: string } | { content: string }

/** A category that Braintree refuses for this dispute is exchanged for GENERAL, once. */
async function add(client: BraintreeClient, reference: string, category: string, what: Content): Promise<void> {
  try {
    const answer = await client.create((gateway) =>
      'content' in what
        ? gateway.dispute.addTextEvidence(reference, { ...what, category })
        : gateway.dispute.addFileEvidence(reference, { ...what, category }),
    )
    const id = asRecord(answer.evidence)?.id
    if (typeof id !== 'string' || id === '') throw unanswered('write')
  } catch (error) {
    if (category === GENERAL || !(error instanceof Refusal) || !error.has(CATEGORY_CODES)) throw error
    await add(client, reference, GENERAL, 'content' in what ? { content: labelled(category, what.content) } : what)
  }
}
