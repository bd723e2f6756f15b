import {
  type CompellingEvidenceInput,
  compellingEvidence,
  linkedPurchases,
} from '../../assessment/compelling-evidence.ts'
import { cleanText } from '../clean-text.ts'
import { FACTS, type FactName } from '../fact-catalogue.ts'

/** What compelling evidence is made of, as it is sealed with a package. `postingDate`: ISO 8601. */
export type FrozenPurchases = Omit<CompellingEvidenceInput, 'postingDate'> & { postingDate: string | null }

/** What decides about compelling evidence, and what PSPs have fields for. */
const SENT =
  /^(merchandiseOrServices|transaction(CreatedDate|Status|EarlyFraud.*|Card.*|ShippingTo.*|Order(IpAddress|DeviceId|SteamId|Email|Items.*)))$/

/**
 * The purchases that a PSP may get as compelling evidence, and of them only what it gets. Null if there are no two: none
 * is sent that turns up after the review. Undefined if it does not apply.
 * @param contradicted facts that the package doesn't use, so that the PSP gets no identifier that it knows to be another
 */
export function freezePurchases(
  all: CompellingEvidenceInput,
  contradicted: readonly FactName[],
): FrozenPurchases | null | undefined {
  const struck = new Set<string>(contradicted.flatMap((fact) => FACTS[fact].names ?? []))
  const disputed = Object.fromEntries(Object.entries(all.disputed).filter(([name]) => !struck.has(name)))
  const known = { ...all, disputed }
  const { applies, eligible } = compellingEvidence(known)
  if (!applies) return undefined
  if (!eligible) return null
  return {
    ...known,
    postingDate: known.postingDate?.toISOString() ?? null,
    disputed: sent(disputed),
    earlier: linkedPurchases(known).map(({ transactionId, fields }) => ({ transactionId, fields: sent(fields) })),
  }
}

export const thawPurchases = (frozen: FrozenPurchases): CompellingEvidenceInput => ({
  ...frozen,
  postingDate: frozen.postingDate === null ? null : new Date(frozen.postingDate),
})

/** In the order of names, so that an equal package has an equal digest. Descriptions have no card numbers. */
const sent = (fields: CompellingEvidenceInput['disputed']) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => SENT.test(name))
      .map(
        ([name, value]) => [name, /Items/.test(name) && typeof value === 'string' ? cleanText(value) : value] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
