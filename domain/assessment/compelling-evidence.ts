import type { CardScheme } from '../chargeback.ts'

/**
 * Visa Compelling Evidence 3.0 for condition 10.4 (docs/interface.md#compelling-evidence): the answer to a fraud
 * dispute is two earlier, undisputed purchases on the same card, linked to the disputed one by the customer's
 * identifiers.
 */
export const MIN_DAYS = 120
export const MAX_DAYS = 365
const DAY_MS = 86_400_000
const WANTED = 2
/**
 * Number of earlier purchases to check, newest first: two matches are found among these, or the purchases have little
 * in common.
 */
export const CANDIDATES = 50

/** Status values of a purchase that was not completed. */
const NEVER_SETTLED = /^(fail|declin|refus|reject|cancel|void|expir)/i

const ELEMENTS = ['ipAddress', 'deviceId', 'shippingAddress', 'accountId', 'email'] as const
type Element = (typeof ELEMENTS)[number]
/** At least one of the two matching identifiers must be one of these. */
const STRONG: readonly Element[] = ['ipAddress', 'deviceId']

const SAID: Record<Element, string> = {
  ipAddress: 'transactionOrderIpAddress',
  deviceId: 'transactionOrderDeviceId',
  shippingAddress: 'transactionShippingToFullShippingAddress',
  accountId: 'transactionOrderSteamId',
  email: 'transactionOrderEmail',
}

/** Fields by their names in `POST /transactions`. */
type Fields = Readonly<Record<string, unknown>>

export interface CompellingEvidenceInput {
  cardScheme: CardScheme | null
  /** As stored: normalised. */
  reasonCode: string | null
  /** The dispute's own date. */
  postingDate: Date | null
  /** Data about the disputed purchase; empty when no record was posted. */
  disputed: Fields
  /** The merchant's records with the same last four digits that no chargeback and no fraud warning names. */
  earlier: readonly { transactionId: string; fields: Fields }[]
}

export interface CompellingEvidence {
  /** Whether compelling evidence is possible for this kind of chargeback. */
  applies: boolean
  eligible: boolean
  why: string
  /** Names of the fields that are equal in all three purchases. */
  matched: string[]
  /** The two earlier purchases. */
  transactionIds: string[]
  /** Missing requirements, as sentences. */
  missing: string[]
}

export const compellingEvidenceApplies = (cardScheme: string | null, reasonCode: string | null): boolean =>
  cardScheme === 'visa' && reasonCode === '10.4'

/** The period for earlier purchases, both ends included; null without a dispute date. */
export function compellingEvidenceWindow(postingDate: Date | null): { from: Date; to: Date } | null {
  if (!postingDate) return null
  const before = (days: number) => new Date(postingDate.getTime() - days * DAY_MS)
  return { from: before(MAX_DAYS), to: before(MIN_DAYS) }
}

/** Pure. The result is independent of the order of the records. */
export function compellingEvidence(input: CompellingEvidenceInput): CompellingEvidence {
  const none = { applies: true, eligible: false, matched: [], transactionIds: [] }
  if (!compellingEvidenceApplies(input.cardScheme, input.reasonCode))
    return { ...none, applies: false, why: 'It is not a Visa fraud dispute of condition 10.4.', missing: [] }
  const window = compellingEvidenceWindow(input.postingDate)
  const known = elementsOf(input.disputed)
  const missing: string[] = []
  if (!window) missing.push('The date on which the chargeback was posted.')
  if (known.size < WANTED || !STRONG.some((element) => known.has(element)))
    missing.push(`A record of the disputed transaction with ${ties(ELEMENTS.filter((one) => !known.has(one)))}.`)
  if (!window || missing.length > 0)
    return { ...none, why: 'Too little is known about the disputed transaction.', missing }

  // Visa counts days from the dispute, Stripe's help from the disputed purchase: earlier ones that satisfy both come first.
  const own = compellingEvidenceWindow(dateOf(input.disputed))
  const inBoth = ({ fields }: { fields: Fields }) => own !== null && isWithin(own, fields)
  const onCard = input.earlier
    .filter(({ fields }) => isSameCard(input.disputed, fields) && isSettled(fields) && isWithin(window, fields))
    .sort((a, b) => Number(inBoth(b)) - Number(inBoth(a)) || (a.transactionId < b.transactionId ? -1 : 1))
  const pair = bestPair(
    known,
    onCard.map(({ transactionId, fields }) => ({ transactionId, equal: equalElements(known, elementsOf(fields)) })),
  )
  if (pair)
    return {
      applies: true,
      eligible: true,
      why: 'Two undisputed earlier transactions on the same card share what identifies the customer.',
      matched: pair.matched.map((element) => SAID[element]),
      transactionIds: pair.transactionIds,
      missing: [],
    }
  const days = `${MIN_DAYS} to ${MAX_DAYS} days before the chargeback`
  const more = WANTED - onCard.length
  return {
    ...none,
    why: 'No two earlier transactions share enough with the disputed one.',
    missing: [
      more > 0
        ? `${more} more undisputed ${more === 1 ? 'transaction' : 'transactions'} on the same card, ${days}.`
        : `Two of the ${onCard.length} undisputed transactions on the same card, ${days}, with the same two of ` +
          `${[...known.keys()].map((element) => SAID[element]).join(', ')} as the disputed one, an IP address or a device among them.`,
    ],
  }
}

const ties = (elements: readonly Element[]) =>
  `at least two of IP address, device, shipping address, account and e-mail, an IP address or a device among them ` +
  `(not known: ${elements.map((element) => SAID[element]).join(', ')})`

/** Earlier purchases on the same card with enough equal identifiers to be one of the two that are needed. Pure. */
export function linkedPurchases({ disputed, earlier }: Pick<CompellingEvidenceInput, 'disputed' | 'earlier'>) {
  const known = elementsOf(disputed)
  return earlier.filter(
    ({ fields }) =>
      isSameCard(disputed, fields) && isSettled(fields) && equalElements(known, elementsOf(fields)).length >= WANTED,
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim().replace(/\s+/g, ' ') : '')

/** A postal code between commas, or after its state: `LS1 4DY`, `IL 62701`, `1012 AB`. Its digits are no house number. */
const POSTAL_CODE = /,\s*(?:[A-Z]{2,3} )?[A-Z]{0,2}\d[A-Z\d]{0,7}(?:[ -](?:[A-Z]?\d[A-Z\d]{1,4}|[A-Z]{2}))?\s*(?=,|$)/g

/**
 * Whether it names more than a city, alone or with its country or postal code: a parcel needs a house. Houses of some countries
 * have names, and streets no numbers.
 */
export const isFullAddress = (text: string): boolean =>
  /\p{N}/u.test(text.replaceAll(POSTAL_CODE, '')) || /,.+,/.test(text)

/** Parts of the delivery address, in the order in which they are written. */
export const SHIPPING_PARTS = ['AddressLine1', 'AddressLine2', 'State', 'ZipCode'].map(
  (part) => `transactionShippingTo${part}`,
)

/** The delivery address as one text, also from its parts; empty if it is not full. */
export function shippingAddressOf(fields: Fields): string {
  const whole = textOf(fields[SAID.shippingAddress])
  if (isFullAddress(whole)) return whole
  const parts = SHIPPING_PARTS.map((part) => textOf(fields[part]))
  return parts[0] && parts[3] ? parts.filter(Boolean).join(', ') : ''
}

/** Identifiers of the customer in a purchase, normalised for comparison. */
function elementsOf(fields: Fields): Map<Element, string> {
  const text = (name: string) => textOf(fields[name])
  const found: [Element, string][] = [
    ['ipAddress', text(SAID.ipAddress).toLowerCase()],
    ['deviceId', text(SAID.deviceId)],
    [
      'shippingAddress',
      shippingAddressOf(fields)
        .toLowerCase()
        .replace(/[\s,.;#-]+/g, ' ')
        .trim(),
    ],
    ['accountId', text(SAID.accountId)],
    ['email', text(SAID.email).toLowerCase()],
  ]
  return new Map(found.filter(([, value]) => value !== ''))
}

const equalElements = (known: Map<Element, string>, other: Map<Element, string>) =>
  ELEMENTS.filter((element) => known.has(element) && known.get(element) === other.get(element))

/** Fingerprints decide if both have one; else last four digits and, if both have one, the BIN's first six. */
export function isSameCard(one: Fields, other: Fields): boolean {
  const both = (name: string, digits?: number) => {
    const [a, b] = [one[name], other[name]]
    if (typeof a !== 'string' || typeof b !== 'string' || a === '' || b === '') return null
    return a.slice(0, digits) === b.slice(0, digits)
  }
  return (
    both('transactionCardFingerprint') ??
    (both('transactionCardLastFourDigits') === true && both('transactionCardBin', 6) !== false)
  )
}

export const isSettled = (fields: Fields) =>
  !fields.transactionEarlyFraudWarningFraudType && !NEVER_SETTLED.test(String(fields.transactionStatus ?? ''))

function dateOf({ transactionCreatedDate }: Fields): Date | null {
  const at = Date.parse(String(transactionCreatedDate ?? ''))
  return Number.isNaN(at) ? null : new Date(at)
}

function isWithin(window: { from: Date; to: Date }, fields: Fields): boolean {
  const at = Date.parse(String(fields.transactionCreatedDate ?? ''))
  return at >= window.from.getTime() && at <= window.to.getTime()
}

/** Visa's identifiers don't include the e-mail address: enough of them without it, and the most in common. */
const rank = (matched: readonly Element[]) =>
  (matched.filter((element) => element !== 'email').length >= WANTED ? ELEMENTS.length : 0) + matched.length

/** The two purchases with the most in common; a pair that holds without the e-mail address comes first. */
function bestPair(
  known: Map<Element, string>,
  records: readonly { transactionId: string; equal: Element[] }[],
): { matched: Element[]; transactionIds: string[] } | null {
  let best: { matched: Element[]; transactionIds: string[] } | null = null
  const useful = records.filter(({ equal }) => equal.length >= WANTED && STRONG.some((one) => equal.includes(one)))
  for (const [index, one] of useful.entries())
    for (const other of useful.slice(index + 1)) {
      const matched = one.equal.filter((element) => other.equal.includes(element))
      if (matched.length < WANTED || !STRONG.some((element) => matched.includes(element))) continue
      if (best && rank(best.matched) >= rank(matched)) continue
      best = { matched, transactionIds: [one.transactionId, other.transactionId] }
      if (matched.length === known.size) return best
    }
  return best
}
