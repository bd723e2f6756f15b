import { composeEvidence, type EvidenceInput } from '../../../../../domain/evidence/compose.ts'
import { evidenceDocument } from '../../../../../domain/evidence/document/evidence-document.ts'
import { isolated } from '../../../../../domain/evidence/document/printed-text.ts'
import { CHARGEBACK, client, FULL, input } from '../evidence-input.ts'

/** The document about a chargeback with all data, and `points` over it; throws when there is none. */
export function documentOf(points: Record<string, unknown> = {}, change: Partial<EvidenceInput> = {}) {
  const given = input({ sources: [client({ ...FULL, ...points }), CHARGEBACK], mark: isolated, ...change })
  const composed = composeEvidence(given)
  const made = evidenceDocument({ composed, merchantName: 'Shoes Example Ltd', exhibits: [] })
  if (!made) throw new Error('no document')
  return { ...made, composed }
}

export const EARLIER = {
  dates: ['3 October 2025', '9 November 2025'],
  matched: ['transactionOrderIpAddress', 'transactionShippingToFullShippingAddress'],
}
