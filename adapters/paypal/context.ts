import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at, listAt } from '../shared/facts.ts'
import type { PayPalClient } from './client.ts'
import { timeAt } from './facts.ts'
import type { Lookup } from './sdk/index.ts'

/** Transaction Search covers 31 days per call. */
const SEARCH_DAYS = 15
const DAY_MS = 86_400_000

/**
 * PayPal's data about a dispute's payment: `{"capture": …, "order": …, "search": …}`, each as PayPal sent it or null.
 * Captures are missing for payments by older APIs, subscriptions and third parties. Transaction Search has those, up to
 * three hours late, if the app may use it. Null when nothing was found.
 */
export async function fetchContext(client: PayPalClient, now: Date, dispute: RawObject): Promise<RawObject | null> {
  const object = parsed(dispute.text)
  const captureId = idAt(object, 'disputed_transactions.0.seller_transaction_id')
  if (captureId === null) return null
  const capture = await tolerated(client, { kind: 'capture', id: captureId })
  const orderId = idAt(parsed(capture ?? 'null'), 'supplementary_data.related_ids.order_id')
  const order = orderId === null ? null : await tolerated(client, { kind: 'order', id: orderId })
  const search = order === null ? await searched(client, now, captureId, object) : null
  if (capture === null && search === null) return null
  return { reference: captureId, text: `{"capture":${capture},"order":${order},"search":${search}}` }
}

/** Null also when the search finds nothing: the payment is too new, or another app's. */
async function searched(
  client: PayPalClient,
  now: Date,
  transactionId: string,
  dispute: unknown,
): Promise<string | null> {
  const paidAt = timeAt(dispute, 'disputed_transactions.0.create_time')
  if (paidAt === null || transactionId.length !== 17) return null
  const found = await tolerated(client, {
    kind: 'transactions',
    transactionId,
    from: new Date(paidAt - SEARCH_DAYS * DAY_MS),
    until: new Date(Math.min(paidAt + SEARCH_DAYS * DAY_MS, now.getTime())),
    fields: 'all',
  })
  return found !== null && listAt(parsed(found), 'transaction_details').length > 0 ? found : null
}

/** Null when the object is unknown to PayPal or hidden from the app; the chargeback is stored anyway. */
async function tolerated(client: PayPalClient, lookup: Lookup): Promise<string | null> {
  try {
    return (await client.lookUp(lookup)).text.trim()
  } catch (error) {
    const skipped = ['permission_missing', 'not_found', 'invalid_request']
    if (error instanceof PspError && skipped.includes(error.kind)) return null
    throw error
  }
}

function idAt(root: unknown, path: string): string | null {
  const id = at(root, path)
  return typeof id === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(id) ? id : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
