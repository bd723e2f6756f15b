import type { SimulatedDispute } from './dispute.ts'

export interface DocumentType {
  type: string
  level: 'Required' | 'OneOrMore' | 'Optional' | 'AlternativeRequired'
}

export interface DefenseReason {
  code: string
  documents: readonly DocumentType[]
}

const reason = (code: string, ...documents: DocumentType[]): DefenseReason => ({ code, documents })
const required = (type: string): DocumentType => ({ type, level: 'Required' })
const optional = (type: string): DocumentType => ({ type, level: 'Optional' })
const oneOf = (type: string): DocumentType => ({ type, level: 'OneOrMore' })
const alternative: DocumentType = { type: 'AlternativeDefenseMaterial', level: 'AlternativeRequired' }

const SUPPLY = reason('SupplyDefenseMaterial', required('DefenseMaterial'), optional('TIDorInvoice'))

/** Samples of required documents by network reason code; generic material for others. */
const REASONS: Readonly<Record<string, readonly DefenseReason[]>> = {
  '10.4': [
    reason('AdditionalInformation', required('DefenseMaterial'), required('AdditionalInformation'), alternative),
    reason('AutomaticCompellingEvidence', required('DefenseMaterial')),
  ],
  '13.1': [
    reason('ServicesProvided', required('ProofOfGoodsOrServicesProvided')),
    reason('MerchandiseReceived', required('DateMerchandiseShipped'), oneOf('ProofOfDelivery'), oneOf('ProofOfPickup')),
  ],
  '13.3': [reason('GoodsWereAsDescribed', required('GoodsWereAsDescribed')), SUPPLY],
  '4837': [reason('CompellingEvidence', required('CardholderIdentification')), SUPPLY],
  '4853': [
    reason('GoodsWereAsDescribed', required('GoodsWereAsDescribed'), required('TIDorInvoice')),
    reason('GoodsNotReturned', required('GoodsNotReturned'), optional('TIDorInvoice')),
    reason('GoodsRepairedOrReplaced', required('GoodsRepairedOrReplaced'), optional('TIDorInvoice')),
    SUPPLY,
  ],
}

/** Empty when the dispute can't be contested any more. */
export function defensesOf({ simulated }: SimulatedDispute, now: number): readonly DefenseReason[] {
  if (!simulated.open || simulated.dueAt === null || simulated.dueAt <= now) return []
  if (simulated.stage === 'inquiry') return [SUPPLY, reason('AutomaticRFIresponse')]
  return REASONS[simulated.reasonCode] ?? [SUPPLY]
}

/** Whether the supplied documents are sufficient. */
export function isSatisfied({ documents }: DefenseReason, { simulated }: SimulatedDispute): boolean {
  const there = ({ type }: DocumentType) => simulated.documents[type] !== undefined
  const at = (level: DocumentType['level']) => documents.filter((document) => document.level === level)
  if (at('AlternativeRequired').some(there)) return true
  if (!at('Required').every(there)) return false
  return (
    (at('OneOrMore').length === 0 || at('OneOrMore').some(there)) && at('Required').length + at('OneOrMore').length > 0
  )
}
