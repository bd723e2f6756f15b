import type { SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord } from '../raw-json.ts'
import type { BraintreeClient } from './client.ts'
import { unanswered } from './errors.ts'
import { GENERAL } from './evidence-limits.ts'
import type { ReadDispute } from './fetch.ts'
import { markText, openings, openingText, ownEntries, spaced, wholeMark } from './marks.ts'
import { CATEGORY_CODES, Refusal } from './refusals.ts'

/**
 * Puts a package at the open dispute: what is ours and not of it goes first, then an opening that announces the texts,
 * then everything, then the mark, and the opening goes. An attempt may end anywhere in between: the next one knows what
 * is ours. What the merchant put there is never taken away, and a text that stands there already is not put twice.
 * @returns false when all of it is there already
 */
export async function attach(
  client: BraintreeClient,
  request: Pick<SubmissionRequest, 'reference' | 'digest' | 'files' | 'texts'>,
  evidence: ReadDispute['evidence'],
): Promise<boolean> {
  const { reference, digest, files, texts } = request
  const whole = wholeMark(evidence, digest) !== undefined
  const surplus = whole ? openings(evidence) : ownEntries(evidence)
  for (const id of surplus) await remove(client, reference, id)
  if (whole) return false

  const merchants = evidence.filter(({ id }) => !surplus.includes(id))
  const missing = sorted(texts).filter(
    ([category, content]) =>
      !merchants.some((entry) => entry.category === category && spaced(entry.comment ?? '') === spaced(content)),
  )
  const added: string[] = []
  const opening =
    missing.length > 0 ? await add(client, reference, GENERAL, { content: openingText(digest, missing) }) : null
  for (const [category, documentId] of sorted(files)) added.push(await add(client, reference, category, { documentId }))
  for (const [category, content] of missing) added.push(await add(client, reference, category, { content }))
  await add(client, reference, GENERAL, { content: markText(digest, added) })
  if (opening !== null) await remove(client, reference, opening)
  return true
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

/** The id of the new entry. A category that Braintree refuses for this dispute is exchanged for GENERAL, once. */
async function add(client: BraintreeClient, reference: string, category: string, what: Content): Promise<string> {
  try {
    const answer = await client.create((gateway) =>
      'content' in what
        ? gateway.dispute.addTextEvidence(reference, { ...what, category })
        : gateway.dispute.addFileEvidence(reference, { ...what, category }),
    )
    const id = asRecord(answer.evidence)?.id
    if (typeof id !== 'string' || id === '') throw unanswered('write')
    return id
  } catch (error) {
    if (category === GENERAL || !(error instanceof Refusal) || !error.has(CATEGORY_CODES)) throw error
    const labelled = 'content' in what ? { content: `${category}: ${what.content}` } : what
    return add(client, reference, GENERAL, labelled)
  }
}

function sorted(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
}
