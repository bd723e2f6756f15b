import { type CompellingEvidenceInput, compellingEvidence } from '../../domain/assessment/compelling-evidence.ts'
import type { SubmissionPlan } from '../contract.ts'
import { at } from '../shared/facts.ts'
import type { EvidenceParam } from './client.ts'

/**
 * Visa compelling evidence 3.0 in Stripe's own fields (evidence.enhanced_evidence): the disputed purchase and exactly
 * two earlier, undisputed ones, with the customer's identifiers. In a plan they are texts named by their path.
 */
export const COMPELLING_EVIDENCE = 'visa_compelling_evidence_3'
const DISPUTED = `${COMPELLING_EVIDENCE}.disputed_transaction`
const PRIOR = [0, 1].map((index) => `${COMPELLING_EVIDENCE}.prior_undisputed_transactions.${index}`)

type Structured = NonNullable<Exclude<EvidenceParam['enhanced_evidence'], ''>>[typeof COMPELLING_EVIDENCE]
type Purchase = CompellingEvidenceInput['earlier'][number]

/** Stripe's field → the customer identifier in `POST /transactions`. */
const IDENTIFIERS = {
  customer_account_id: 'transactionOrderSteamId',
  customer_device_id: 'transactionOrderDeviceId',
  customer_email_address: 'transactionOrderEmail',
  customer_purchase_ip: 'transactionOrderIpAddress',
} as const
/** Shortest device id that Stripe accepts. */
export const DEVICE_CHARACTERS = 15
const ADDRESS = 'transactionShippingToFullShippingAddress'
/** Stripe requires every part of an address; a transaction record has neither city nor country. */
const UNSENDABLE = ['AddressLine1', 'AddressLine2', 'State', 'ZipCode'].map((part) => `transactionShippingTo${part}`)

/** Maximum characters of these texts: those of the plain field with the same name, or of a short one. */
export const compellingLimit = (name: string): number => (name.endsWith('.product_description') ? 20_000 : 5_000)

/** Whether Stripe expects it. Compelling evidence that Stripe marks as `qualified` is not replaced. */
export const asksForPurchases = (dispute: unknown): boolean =>
  at(dispute, `evidence_details.enhanced_eligibility.${COMPELLING_EVIDENCE}.status`) === 'requires_action'

/**
 * The texts, all or none; pure. None without two such purchases (the assessment says what is missing). If there are
 * two, but Stripe's fields can't be filled, `dropped` names the missing data.
 */
export function compellingTexts(purchases: CompellingEvidenceInput): Pick<SubmissionPlan, 'texts' | 'dropped'> {
  const known = compellingEvidence(purchases)
  if (!known.eligible) return { texts: {}, dropped: [] }
  const without = (why: string) => ({ texts: {}, dropped: [{ what: COMPELLING_EVIDENCE, why }] })

  const { disputed } = purchases
  const [description, kind] = [descriptionOf(disputed), kindOf(disputed)]
  if (!description) return without('add transactionOrderItemsProductDescription: what was sold must be told')
  if (!kind) return without('add the data point merchandiseOrServices: "merchandise" or "services"')
  const sendable = compellingEvidence({
    ...purchases,
    disputed: withoutUnsendable(disputed),
    earlier: purchases.earlier
      .filter(({ transactionId, fields }) => /^(ch|py)_\w+$/.test(transactionId) && descriptionOf(fields))
      .map(({ transactionId, fields }) => ({ transactionId, fields: withoutUnsendable(fields) })),
  })
  if (!sendable.eligible) {
    return without(
      'two earlier charges of Stripe are needed, each with a product description, that share two of IP address, ' +
        `device id of at least ${DEVICE_CHARACTERS} characters, account and e-mail address with the disputed one`,
    )
  }
  const identifiers = Object.entries(IDENTIFIERS).filter(([, name]) => sendable.matched.includes(name))
  const texts: Record<string, string> = {}
  const tell = (path: string, fields: Purchase['fields'], more: Record<string, string>) => {
    for (const [field, text] of Object.entries(more)) texts[`${path}.${field}`] = text
    for (const [field, name] of identifiers) texts[`${path}.${field}`] = String(fields[name]).trim()
  }
  tell(DISPUTED, disputed, { merchandise_or_services: kind, product_description: description })
  sendable.transactionIds.forEach((charge, index) => {
    const fields = purchases.earlier.find(({ transactionId }) => transactionId === charge)?.fields ?? {}
    tell(PRIOR[index] ?? '', fields, { charge, product_description: descriptionOf(fields) })
  })
  const address = { what: `${DISPUTED}.shipping_address`, why: 'Stripe takes none without city and country' }
  return { texts, dropped: known.matched.includes(ADDRESS) ? [address] : [] }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

const descriptionOf = (fields: Purchase['fields']) =>
  textOf(fields.transactionOrderItemsProductDescription) || textOf(fields.transactionOrderItemsProductName)

/** The client's value; else shipped goods are merchandise. Empty when neither is known: nothing is made up. */
function kindOf(fields: Purchase['fields']): string {
  const said = textOf(fields.merchandiseOrServices).toLowerCase()
  if (said === 'merchandise' || said === 'services') return said
  return textOf(fields[ADDRESS]) || textOf(fields.transactionShippingToAddressLine1) ? 'merchandise' : ''
}

function withoutUnsendable(fields: Purchase['fields']): Purchase['fields'] {
  const short = textOf(fields.transactionOrderDeviceId).length < DEVICE_CHARACTERS
  const left = new Set([ADDRESS, ...UNSENDABLE, ...(short ? ['transactionOrderDeviceId'] : [])])
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.has(name)))
}

export const isCompelling = (field: string): boolean => field.startsWith(`${COMPELLING_EVIDENCE}.`)

/** The texts in Stripe's structure; undefined when there are none. */
export function structured(texts: Record<string, string>): Structured | undefined {
  if (!Object.keys(texts).some(isCompelling)) return undefined
  const under = (path: string) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([field, text]) =>
        field.startsWith(`${path}.`) ? [[field.slice(path.length + 1), text]] : [],
      ),
    )
  const prior = PRIOR.map(under) as { charge: string }[]
  return { disputed_transaction: under(DISPUTED), prior_undisputed_transactions: prior }
}

/** The texts that a staged dispute lacks, matched by the charges that it names. */
export function missingFrom(dispute: unknown, texts: Record<string, string>): SubmissionPlan['dropped'] {
  const there = `evidence.enhanced_evidence.${COMPELLING_EVIDENCE}.prior_undisputed_transactions`
  const lacks = PRIOR.some((path, index) => {
    const charge = texts[`${path}.charge`]
    return charge !== undefined && at(dispute, `${there}.${index}.charge`) !== charge
  })
  return lacks ? [{ what: COMPELLING_EVIDENCE, why: 'Stripe did not take it for this dispute' }] : []
}
