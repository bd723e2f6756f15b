import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { guardReference } from './client.ts'
import { type Mark, readDisputeText } from './dispute-text.ts'
import { type Projection, within } from './events/reduce.ts'
import { gather, type Mailbox } from './inbox.ts'
import { projectionOf } from './translate.ts'

/** The state of a dispute from all its notifications; also read before and after each write. */
export interface DisputeState {
  raw: RawObject
  projection: Projection
  /** Digest of the evidence that Recoup sent to the issuer in this stage, or uploaded, if a mark was stored. */
  defended: string | null
  staged: string | null
  /** Digests of the evidence that Recoup sent to the issuer, in any stage: a digest belongs to one round only. */
  sent: readonly string[]
  /** Digests of the evidence that Recoup uploaded in any stage, or was about to; without uploads that Adyen refused. */
  prepared: readonly string[]
  /** Those of the current stage. */
  preparedNow: readonly string[]
  /** Types of the documents that Recoup uploaded in this stage, or was about to. */
  uploaded: readonly string[]
  /** Adyen accepted an acceptance call from Recoup. */
  acceptanceSent: boolean
  /** Adyen accepted an acceptance call, or reported an acceptance, in this stage or an earlier one. */
  acceptedEver: boolean
}

/** @throws PspError not_found when no notification is about it */
export async function fetchDispute(mailbox: Mailbox, reference: string): Promise<RawObject> {
  const found = await gather(mailbox, guardReference(reference))
  if (!found)
    throw new PspError('not_found', 'No notification of Adyen about this dispute has come. Check the webhook.')
  return found.raw
}

/** @throws PspError not_found, invalid_request when its notifications can't be read */
export async function readState(mailbox: Mailbox, reference: string): Promise<DisputeState> {
  const raw = await fetchDispute(mailbox, reference)
  return stateIn(raw)
}

export function stateIn(raw: RawObject): DisputeState {
  const dispute = readable(raw)
  const projection = projectionOf(dispute)
  const present = within(projection)
  const valid = dispute.marks.filter((mark) => !isRefused(mark, dispute.marks))
  const marks = valid.filter((mark) => present(mark.at))
  const newest = (kind: string) =>
    marks
      .filter((mark) => mark.recoup === kind)
      .toSorted((a, b) => (a.at < b.at ? -1 : 1))
      .at(-1)
  return {
    raw,
    projection,
    defended: newest('defense')?.digest ?? null,
    staged: newest('staging')?.digest ?? null,
    sent: digestsOf(valid, 'defense'),
    prepared: [...digestsOf(valid, 'upload'), ...digestsOf(valid, 'staging')],
    preparedNow: [...digestsOf(marks, 'upload'), ...digestsOf(marks, 'staging')],
    uploaded: [...new Set(marks.flatMap(({ recoup, types }) => (recoup === 'upload' ? (types ?? []) : [])))],
    acceptanceSent: newest('acceptance') !== undefined,
    acceptedEver: projection.accepted || dispute.marks.some(({ recoup }) => recoup === 'acceptance'),
  }
}

function digestsOf(marks: readonly Mark[], kind: Mark['recoup']): string[] {
  return marks.flatMap(({ recoup, digest }) => (recoup === kind && digest ? [digest] : []))
}

function isRefused({ recoup, digest, at }: Mark, marks: readonly Mark[]): boolean {
  const refusal = (other: Mark) => other.recoup === 'upload_refused' && other.digest === digest && other.at === at
  return recoup === 'upload' && marks.some(refusal)
}

function readable(raw: RawObject) {
  try {
    return readDisputeText(raw.text)
  } catch {
    throw new PspError('invalid_request', 'The notifications about this dispute can not be read. It is in quarantine.')
  }
}
