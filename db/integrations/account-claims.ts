import { sql } from 'kysely'
import type { Source } from '../../domain/integration.ts'
import { lockPspAccount } from '../commands/dispute-lock.ts'
import type { Database } from '../core/connect.ts'

export interface Claim {
  integrationId: string
  merchantUuid: string
  source: Source
  /** The PSP account as the PSP confirmed it. */
  account: string
  /** Sub-accounts that the integration is limited to, where the PSP's disputes name theirs; empty: all. */
  subAccounts: readonly string[]
}

/**
 * Assigns the PSP account to the integration, unless another integration that is not INACTIVE holds it: two of them
 * would each store and answer every dispute. Integrations limited to different sub-accounts do not conflict.
 * @returns null when the integration holds the account now, else a sentence for the merchant, and nothing is changed
 */
export async function claimAccount(trx: Database, claim: Claim): Promise<string | null> {
  const { integrationId, merchantUuid, source, account } = claim
  await lockPspAccount(trx, { source, account })
  const { rows } = await sql<{ claimed: string | null }>`
    select claimed_account as claimed from integration where integration_id = ${integrationId} for update`.execute(trx)
  const claimed = rows[0]?.claimed ?? null
  if (claimed !== null && claimed !== account)
    return `The credential belongs to the PSP account ${account} now, and this integration is for ${claimed}. Give it a credential of ${claimed}, or connect ${account} as a separate integration.`
  const holder = await holderOf(trx, claim)
  if (holder)
    return holder.merchantUuid === merchantUuid
      ? `The PSP account ${account} is connected by the integration "${holder.name}" (${holder.integrationId}) already. Use that one, or deactivate it first.`
      : 'The PSP account is connected elsewhere already. One account can be connected once.'
  if (claimed === null)
    await sql`update integration set claimed_account = ${account} where integration_id = ${integrationId}`.execute(trx)
  return null
}

async function holderOf(db: Database, { integrationId, source, account, subAccounts }: Claim) {
  const { rows } = await sql<{ integrationId: string; merchantUuid: string; name: string }>`
    select integration_id as "integrationId", merchant_uuid as "merchantUuid", integration_name as name
    from integration
    where source = ${source} and claimed_account = ${account} and integration_id <> ${integrationId}
      and status <> 'INACTIVE' and (${subAccounts.length === 0} or cardinality(merchant_account_codes) = 0
        or merchant_account_codes && ${[...subAccounts]}::text[])
    order by created_at limit 1`.execute(db)
  return rows[0] ?? null
}
