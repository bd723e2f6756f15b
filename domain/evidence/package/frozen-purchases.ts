import {
  type CompellingEvidenceInput,
  compellingEvidence,
  linkedPurchases,
} from '../../assessment/compelling-evidence.ts'
import { cleanText } from '../clean-text.ts'
import { FACTS, type FactName } from '../fact-catalogue.ts'

/** What compelling evidence is made of, as it is sealed with a package. `postingDate`: ISO 8601. */
export type FrozenPurchases = Omit<CompellingEvidenceInput, 'postingDate'> & { postingDate: string | null }

/** Fields by which compelling evidence is chosen, or that a PSP has a field for. */
const SENT =
  /^(merchandiseOrServices|transaction(CreatedDate|Status|EarlyFraud.*|Card.*|ShippingTo.*|Order(IpAddress|DeviceId|SteamId|Email|Items.*)))$/

/**
 * The purchases that are sent to the PSP as compelling evidence, with only the fields that are sent. Null if there are not
 * two: one that turns up after the review is not sent. Undefined if compelling evidence does not apply.
 * @param unusable facts that the package doesn't use, because the PSP has other identifiers than the client gave
 */
export function freezePurchases(
  all: CompellingEvidenceInput,
  unusable: readonly FactName[],
): FrozenPurchases | null | undefined {
  const struck = new Set<string>(unusable.flatMap((fact) => FACTS[fact].names ?? []))
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

/** As they were when the package was built. */
export const frozenPurchases = (frozen: FrozenPurchases): CompellingEvidenceInput => ({
  ...frozen,
  postingDate: frozen.postingDate === null ? null : new Date(frozen.postingDate),
})

/** Purchases as they may be sent: descriptions have no card numbers. */
export const cleanPurchases = ({ disputed, earlier, ...rest }: CompellingEvidenceInput): CompellingEvidenceInput => ({
  ...rest,
  disputed: cleanFields(disputed),
  earlier: earlier.map((one) => ({ ...one, fields: cleanFields(one.fields) })),
})

const cleanFields = (fields: CompellingEvidenceInput['disputed']) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      /Items/.test(name) && typeof value === 'string' ? cleanText(value) : value,
    ]),
  )

/** In the order of names, so that an equal package has an equal digest. */
const sent = (fields: CompellingEvidenceInput['disputed']) =>
  Object.fromEntries(
    Object.entries(cleanFields(fields))
      .filter(([name]) => SENT.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
