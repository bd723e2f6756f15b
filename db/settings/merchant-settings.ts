import { sql } from 'kysely'
import { type AccountSettings, accountSettings } from '../../domain/accounts/account-settings.ts'
import { type AutomaticPolicy, automaticPolicy } from '../../domain/evidence/package/automatic-policy.ts'
import type { Database } from '../core/connect.ts'
import { inTransaction } from '../core/transaction.ts'
import { setMerchantPolicy } from '../packages/policies.ts'
import { recordSetting } from './setting-events.ts'

/** What decides about the chargebacks of a merchant. */
export interface MerchantSettings {
  /** The account's. */
  settings: AccountSettings
  /** That applies to the merchant. */
  policy: AutomaticPolicy
  /** The account's. */
  ofAccount: AutomaticPolicy
  /** The merchant's own part of it; null when the account's applies as a whole. */
  own: Partial<AutomaticPolicy> | null
}

export async function readMerchantSettings(db: Database, merchantUuid: string): Promise<MerchantSettings> {
  const { rows } = await sql<{ settings: Record<string, unknown>; own: Partial<AutomaticPolicy> | null }>`
    select a.settings, m.automatic_submission as own
    from merchant m join account a on a.account_id = m.account_id where m.merchant_uuid = ${merchantUuid}`.execute(db)
  const { settings = {}, own = null } = rows[0] ?? {}
  const ofAccount = settings.automaticSubmission
  return {
    settings: accountSettings(settings),
    policy: automaticPolicy(ofAccount, own),
    ofAccount: automaticPolicy(ofAccount),
    own,
  }
}

/**
 * Replaces the merchant's own policy of automatic submission; null: that of its account applies.
 * @throws Refusal policy_impossible
 */
export function changeMerchantPolicy(
  db: Database,
  { merchantUuid, credentialId, own }: { merchantUuid: string; credentialId: string; own: object | null },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await setMerchantPolicy(trx, merchantUuid, own)
    await recordSetting(trx, {
      ...{ merchantUuid, credentialId, what: 'automatic submission changed' },
      details: { automaticSubmission: own },
    })
  })
}
