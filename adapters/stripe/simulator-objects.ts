import type { Account } from '../simulator/accounts.ts'
import type { DisputePlan, DisputeRecord, FileRecord, JsonObject } from '../simulator/contract.ts'
import { buildCharge } from './simulator-charge.ts'
import { chargeTransaction } from './simulator-money.ts'
import { buildCustomer, buildPaymentIntent } from './simulator-payer.ts'

/** Objects around a dispute. They are built from its plan when they are asked for; planted ones come as they are. */
export type Kind = 'charge' | 'payment_intent' | 'customer' | 'balance_transaction' | 'file'

export function findObject(account: Account, kind: Kind, id: string): JsonObject | undefined {
  const planted = account.planted.get(id)
  if (planted !== undefined) return JSON.parse(planted) as JsonObject
  if (kind === 'file') {
    const file = account.fileById.get(id)
    return file && fileObject(file)
  }
  const plan = account.byLink.get(id)?.find((record) => record.plan !== null)?.plan
  return plan ? build(kind, plan, id) : undefined
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

/** Stripe leaves `refunds` out unless it is asked to expand it. */
function chargeWithoutRefunds(plan: DisputePlan): { id: string } {
  const { refunds: _, ...charge } = buildCharge(plan)
  return charge
}

export function refundsOf(account: Account, chargeId: string): JsonObject | undefined {
  const plan = account.byLink.get(chargeId)?.find((record) => record.plan !== null)?.plan
  return plan ? (buildCharge(plan).refunds as unknown as JsonObject) : undefined
}

/** Charges of an account, newest first; each dispute has one. */
export function chargePlans(account: Account): DisputePlan[] {
  const plans = account.disputes.all().flatMap((record: DisputeRecord) => (record.plan ? [record.plan] : []))
  return plans.toSorted((a, b) => b.chargedAt - a.chargedAt || (a.token < b.token ? 1 : -1))
}

export function chargeObject(plan: DisputePlan): JsonObject {
  return chargeWithoutRefunds(plan) as unknown as JsonObject
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
