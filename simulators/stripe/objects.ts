import type { Account } from '../engine/accounts.ts'
import type { DisputePlan, DisputeRecord, FileRecord, JsonObject } from '../engine/contract.ts'
import { buildCharge } from './payments/charge.ts'
import { type EarlierCharge, earlierCharges, tokenInEarlier } from './payments/earlier.ts'
import { chargeTransaction } from './payments/money.ts'
import { buildCustomer, buildPaymentIntent } from './payments/payer.ts'

/** Objects related to a dispute. They are built from its plan on request; added ones stay unchanged. */
export type Kind = 'charge' | 'payment_intent' | 'customer' | 'balance_transaction' | 'file'

export function findObject(account: Account, kind: Kind, id: string): JsonObject | undefined {
  const planted = account.planted.get(id)
  if (planted !== undefined) return JSON.parse(planted) as JsonObject
  if (kind === 'file') {
    const file = account.fileById.get(id)
    return file && fileObject(file)
  }
  const plan = account.byLink.get(id)?.find((record) => record.plan !== null)?.plan
  if (plan) return build(kind, plan, id)
  return kind === 'charge' ? earlierCharge(account, id) : undefined
}

function build(kind: Exclude<Kind, 'file'>, plan: DisputePlan, id: string): JsonObject | undefined {
  const built = {
    charge: () => chargeWithoutRefunds(plan),
    payment_intent: () => buildPaymentIntent(plan),
    customer: () => buildCustomer(plan),
    balance_transaction: () => chargeTransaction(buildCharge(plan)),
  }[kind]()
  return built.id === id ? (built as unknown as JsonObject) : undefined
}

/** An undisputed purchase, by its id. */
function earlierCharge(account: Account, id: string): JsonObject | undefined {
  const token = tokenInEarlier(id)
  const plan = token === null ? null : account.byReference.get(`du_1${token}`)?.plan
  const earlier = plan && earlierCharges(plan).find((charge) => charge.id === id)
  return plan && earlier ? undisputed(plan, earlier) : undefined
}

/** Like the disputed charge, of the same customer. */
function undisputed(plan: DisputePlan, { id, chargedAt }: EarlierCharge): JsonObject {
  const charge = chargeWithoutRefunds({ ...plan, chargedAt, chargeAmount: plan.amount })
  return { ...charge, id, disputed: false, balance_transaction: null, payment_intent: null } as unknown as JsonObject
}

/** Stripe omits `refunds` unless it is expanded. */
function chargeWithoutRefunds(plan: DisputePlan): { id: string } {
  const { refunds: _, ...charge } = buildCharge(plan)
  return charge
}

export function refundsOf(account: Account, chargeId: string): JsonObject | undefined {
  const plan = account.byLink.get(chargeId)?.find((record) => record.plan !== null)?.plan
  return plan ? (buildCharge(plan).refunds as unknown as JsonObject) : undefined
}

export interface ListedCharge {
  id: string
  plan: DisputePlan
  chargedAt: number
  /** Undisputed, and without a payment intent. */
  earlier: EarlierCharge | null
}

/** Charges of an account, newest first: each dispute has one, and some have earlier ones of the same customer. */
export function chargesOf(account: Account): ListedCharge[] {
  const plans = account.disputes.all().flatMap((record: DisputeRecord) => (record.plan ? [record.plan] : []))
  const charges = plans.flatMap((plan): ListedCharge[] => [
    { id: `ch_3${plan.token}`, plan, chargedAt: plan.chargedAt, earlier: null },
    ...earlierCharges(plan).map((earlier) => ({ ...earlier, plan, earlier })),
  ])
  return charges.toSorted((a, b) => b.chargedAt - a.chargedAt || (a.id < b.id ? 1 : -1))
}

export function chargeObject(plan: DisputePlan, earlier: EarlierCharge | null = null): JsonObject {
  return earlier ? undisputed(plan, earlier) : (chargeWithoutRefunds(plan) as unknown as JsonObject)
}

export function fileObject(file: FileRecord): JsonObject {
  return {
    id: file.id,
    object: 'file',
    created: file.at,
    // docs: dispute evidence expires after nine months.
    expires_at: file.at + 274 * 86_400,
    filename: file.name,
    links: { object: 'list', data: [], has_more: false, url: `/v1/file_links?file=${file.id}` },
    purpose: file.purpose,
    size: file.bytes,
    title: null,
    type: file.type,
    url: `https://files.stripe.com/v1/files/${file.id}/contents`,
  }
}
