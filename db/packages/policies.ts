import { sql } from 'kysely'
import { accountSettings } from '../../domain/accounts/account-settings.ts'
import { type AutomaticPolicy, automaticPolicy, faultOfPolicy } from '../../domain/evidence/package/automatic-policy.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'

/** Refuses policies of an account and its merchants that can't work with its data window. @throws Refusal policy_impossible */
export async function requirePossiblePolicies(db: Database, accountId: string): Promise<void> {
  const { rows } = await sql<{ settings: Record<string, unknown>; reference: string | null; ofMerchant: unknown }>`
    select a.settings, null as reference, null as "ofMerchant" from account a where a.account_id = ${accountId}
    union all
    select a.settings, m.reference_id, m.automatic_submission from merchant m join account a using (account_id)
    where m.account_id = ${accountId} and m.automatic_submission is not null`.execute(db)
  const faults = rows.flatMap(({ settings, reference, ofMerchant }) => {
    const policy = automaticPolicy(settings.automaticSubmission, ofMerchant)
    const fault = faultOfPolicy(policy, accountSettings(settings).dataWindowHours)
    return fault ? [reference === null ? fault : `Merchant ${reference}: ${fault}`] : []
  })
  if (faults.length > 0) throw new Refusal('invalid', 'policy_impossible', faults.join('\n'))
}

/** The policy that applies to a merchant, and its own settings. @throws Refusal merchant_not_found */
export async function readMerchantPolicy(
  db: Database,
  merchantUuid: string,
): Promise<{ policy: AutomaticPolicy; own: unknown; accountId: string }> {
  const { rows } = await sql<{ ofAccount: unknown; own: unknown; accountId: string }>`
    select a.settings -> 'automaticSubmission' as "ofAccount", m.automatic_submission as own, m.account_id as "accountId"
    from merchant m join account a on a.account_id = m.account_id where m.merchant_uuid = ${merchantUuid}`.execute(db)
  const [found] = rows
  if (!found) throw new Refusal('missing', 'merchant_not_found', `There is no merchant ${merchantUuid}.`)
  return { policy: automaticPolicy(found.ofAccount, found.own), own: found.own, accountId: found.accountId }
}

/**
 * Replaces a merchant's own settings; null: those of its account apply.
 * @throws Refusal merchant_not_found, policy_impossible
 */
export function setMerchantPolicy(db: Database, merchantUuid: string, own: object | null): Promise<void> {
  return inTransaction(db, async (trx) => {
    const { accountId } = await readMerchantPolicy(trx, merchantUuid)
    await trx
      .updateTable('merchant')
      .set({ automatic_submission: own && JSON.stringify(own) })
      .where('merchant_uuid', '=', merchantUuid)
      .execute()
    await requirePossiblePolicies(trx, accountId)
  })
}
