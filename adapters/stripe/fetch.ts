import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { StripeClient } from './client.ts'
import { noResponse } from './errors.ts'

/** Disputes are read with their charge. For a key without permission for charges, later reads of the run omit it. */
export interface Expansion {
  attempt<T>(read: (charge: boolean) => Promise<T>): Promise<T>
}

export function chargeExpansion(): Expansion {
  let charge = true
  return {
    async attempt(read) {
      try {
        return await read(charge)
      } catch (error) {
        const refused = error instanceof PspError && error.kind === 'permission_missing'
        if (!charge || !refused) throw error
        const answer = await read(false)
        charge = false
        return answer
      }
    },
  }
}

/** The current state of a dispute; also read before and after each write. */
export interface ReadDispute {
  raw: RawObject
  status: string
  submissionCount: number
  submissionMethod: string | null
  /** Recoup's mark: the digest of the evidence staged or submitted last. */
  evidenceDigest: string | null
  /** The bank's due date; null when it accepts no evidence. */
  dueBy: Date | null
  /** Whether it is, or was, in an appeal. */
  appealed: boolean
}

/** Key of the dispute's metadata with the digest of Recoup's evidence. */
export const DIGEST_KEY = 'recoup_evidence'

/** @throws PspError invalid_request for an invalid dispute id: an empty one would silently list all disputes. */
export function guardReference(reference: string): string {
  if (!/^(du|dp)_\w+$/.test(reference)) {
    throw new PspError('invalid_request', 'A Stripe dispute id is du_ or dp_ followed by letters and digits.')
  }
  return reference
}

/** Uses the list's expansion, so that an unchanged dispute has the same members in both. */
export async function readDispute(client: StripeClient, expansion: Expansion, reference: string): Promise<ReadDispute> {
  guardReference(reference)
  const answer = await expansion.attempt((charge) =>
    client.read('dispute', (sdk, options) =>
      sdk.disputes.retrieve(reference, charge ? { expand: ['charge'] } : {}, options),
    ),
  )
  const dispute = answer.value
  if (dispute.id !== reference) throw noResponse('read')
  return {
    raw: { reference, text: answer.text.trim() },
    status: String(dispute.status),
    submissionCount: Number(dispute.evidence_details?.submission_count ?? 0),
    submissionMethod: dispute.evidence_details?.submission_method ?? null,
    evidenceDigest: dispute.metadata?.[DIGEST_KEY] ?? null,
    dueBy: dispute.evidence_details?.due_by ? new Date(dispute.evidence_details.due_by * 1000) : null,
    appealed: String(dispute.status).startsWith('appeal_') || Boolean(dispute.evidence?.appeal),
  }
}
