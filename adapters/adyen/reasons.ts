import type { Reason } from './client.ts'
import { GENERIC } from './evidence-limits.ts'

/**
 * Adyen requires one defence reason, and documents of the types of this reason. A place in the plan is
 * `reason/document`, so that it determines both.
 */
export function fieldOf(reason: string, document: string): string {
  return `${reason}/${document}`
}

export function placeOf(field: string): { reason: string; document: string } {
  const [reason = '', document = ''] = field.split('/')
  return { reason, document }
}

/** Adyen's automatic defences, which can't be chosen. */
function isAutomatic({ code }: Reason): boolean {
  return /auto/i.test(code) || code === 'AutomaticRFIresponse'
}

/** Words in Adyen's reason codes, by group of network reason codes. */
const FITTING: readonly (readonly [RegExp, RegExp])[] = [
  [/^(10\.|4837|4863|4870|4871|F2|UA)/, /CardPresent|CompellingEvidence|AdditionalInformation|Cardholder/i],
  [/^(13\.1|4855|C08|RG)/, /ServicesProvided|MerchandiseReceived|GoodsOrServicesProvided|Shipped/i],
  [/^(13\.3|4853|C31|RM)/, /AsDescribed|Repaired|NotReturned/i],
  [/^(13\.[267]|C28|C02)/, /Cancel|Credit|Refund/i],
  [/^(12\.6|4834|P08)/, /Duplicate|PaidByOtherMeans|TwoDifferent/i],
]

/**
 * Chooses the defence reason: one with a generic document for all schemes, one with generic defence material, one that
 * matches the network's reason code, or the one with the fewest requirements. Unknown codes are allowed. A reason
 * without requirements comes last, because its documents are marked as not essential for a defence.
 */
export function chooseReason(reasons: readonly Reason[], reasonCode: string | null): Reason | null {
  const usable = reasons.filter((reason) => reason.code !== '' && !isAutomatic(reason) && reason.documents.length > 0)
  for (const generic of GENERIC) {
    const found = usable.find((reason) => {
      const groups = groupsOf(reason)
      return groups.length > 0 && groups.every((group) => group.includes(generic))
    })
    if (found) return found
  }
  const [, fitting] = FITTING.find(([codes]) => reasonCode !== null && codes.test(reasonCode)) ?? []
  const matching = fitting ? usable.filter((reason) => fitting.test(reason.code)) : []
  const candidates = matching.length > 0 ? matching : usable
  const asked = (reason: Reason) => groupsOf(reason).length || Number.MAX_SAFE_INTEGER
  return candidates.toSorted((a, b) => asked(a) - asked(b) || (a.code < b.code ? -1 : 1))[0] ?? null
}

/**
 * Groups of document types; one document of each group is required. A document for all schemes replaces all other
 * required ones (unverified: where Adyen's support has enabled it).
 */
export function groupsOf({ documents }: Reason): string[][] {
  const types = (level: string) => documents.filter((document) => document.level === level).map(({ type }) => type)
  const alternative = types('AlternativeRequired')
  const oneOrMore = types('OneOrMore')
  return [...types('Required').map((type) => [type]), ...(oneOrMore.length > 0 ? [oneOrMore] : [])]
    .map((group) => [...group, ...alternative])
    .concat(types('Required').length + oneOrMore.length === 0 && alternative.length > 0 ? [alternative] : [])
}
