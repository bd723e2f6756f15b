import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import type { PayPalClient } from './client.ts'

/** The account of a credential. PayPal has no call for it; disputes and Transaction Search name it. */

const DAY_MS = 86_400_000

/** `seller.merchant_id` of a dispute or a list row; null when it is missing or invalid. */
export function sellerOf(dispute: unknown): string | null {
  return accountIn(at(dispute, 'disputed_transactions.0.seller.merchant_id'))
}

/** @throws PspError config_invalid when PayPal names another account than the client did */
export function checkAccount(account: string | null, externalIdentifier: string): void {
  if (account === null || account.toUpperCase() === externalIdentifier.trim().toUpperCase()) return
  const typed = /^[\w.@-]{1,64}$/.test(externalIdentifier) ? externalIdentifier : 'the one that was named'
  throw new PspError(
    'config_invalid',
    `The PayPal app belongs to the merchant id ${account}, not to ${typed}. Connect that account, or its own app.`,
  )
}

/** Every response of Transaction Search names the account, even without results. Null when the app may not search. */
export async function searchedAccount(client: PayPalClient, now: Date): Promise<string | null> {
  try {
    const from = new Date(now.getTime() - DAY_MS)
    const found = await client.lookUp({
      kind: 'transactions',
      from,
      until: now,
      fields: 'transaction_info',
      pageSize: 1,
    })
    return accountIn(found.value.account_number)
  } catch (error) {
    const skipped = ['permission_missing', 'not_found', 'invalid_request']
    if (error instanceof PspError && skipped.includes(error.kind)) return null
    throw error
  }
}

function accountIn(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null
}
