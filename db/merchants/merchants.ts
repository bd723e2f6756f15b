import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isUuid } from '../../domain/ids.ts'
import type { Database } from '../core/connect.ts'
import { Refusal, violates } from '../core/refusal.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { personHashes } from '../erasure/persons.ts'
import { raiseRevocationEpoch, requireAccount } from './accounts.ts'

export interface NewMerchant {
  accountId: string
  merchantName: string
  websiteUrl: string
  contact: { email: string; firstName: string; lastName: string }
  /** Omitted: the merchant's own UUID. Unique within the account. */
  referenceId?: string | undefined
  mcc?: string | undefined
  mccDescription?: string | undefined
  activationDate?: Date | undefined
}

/** The contact person is sealed. @throws Refusal account_not_found, duplicate_reference_id */
export function createMerchant(
  db: Database,
  ring: KeyRing,
  merchant: NewMerchant,
): Promise<{ merchantUuid: string; referenceId: string }> {
  const merchantUuid = uuidv7()
  const referenceId = merchant.referenceId ?? merchantUuid
  const contact = JSON.stringify(merchant.contact)
  return inTransaction(db, async (trx) => {
    await requireAccount(trx, merchant.accountId)
    if (await isMerchantUuid(trx, merchant.accountId, referenceId)) throw duplicateReference()
    await trx
      .insertInto('merchant')
      .values({
        merchant_uuid: merchantUuid,
        account_id: merchant.accountId,
        reference_id: referenceId,
        merchant_name: merchant.merchantName,
        website_url: merchant.websiteUrl,
        contact_sealed: seal(ring, contact, sealContext.merchantContact(merchantUuid)),
        persons: personHashes(ring, contact),
        mcc: merchant.mcc ?? null,
        mcc_description: merchant.mccDescription ?? null,
        activation_date: merchant.activationDate ?? null,
      })
      .execute()
    // With a second merchant, the account's credentials require the reference header.
    await raiseRevocationEpoch(trx, merchant.accountId)
    return { merchantUuid, referenceId }
  }).catch((error) => {
    if (violates(error, 'merchant_account_id_reference_id_key')) throw duplicateReference()
    throw error
  })
}

/** The address of a merchant's contact; null for a merchant that is deactivated or not there. */
export async function contactAddress(db: Database, ring: KeyRing, merchantUuid: string): Promise<string | null> {
  const row = await db
    .selectFrom('merchant')
    .select('contact_sealed as sealed')
    .where('merchant_uuid', '=', merchantUuid)
    .where('deactivated_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { email } = JSON.parse(open(ring, row.sealed, sealContext.merchantContact(merchantUuid))) as { email: string }
  return email
}

const duplicateReference = () =>
  new Refusal('invalid', 'duplicate_reference_id', 'referenceId: another merchant of the account has it.')

/** A UUID takes precedence in the header, so a referenceId that is another merchant's UUID could never be reached. */
async function isMerchantUuid(db: Database, accountId: string, referenceId: string): Promise<boolean> {
  if (!isUuid(referenceId)) return false
  const { rows } = await sql`
    select from merchant where account_id = ${accountId} and merchant_uuid = ${referenceId}`.execute(db)
  return rows.length > 0
}

/** The merchant's referenceId. */
export async function referenceOf(db: Database, merchantUuid: string): Promise<string> {
  const row = await db
    .selectFrom('merchant')
    .select('reference_id')
    .where('merchant_uuid', '=', merchantUuid)
    .executeTakeFirstOrThrow()
  return row.reference_id
}

/** Merchants that a credential may act on, at most two: enough to know whether the reference header is required. */
export async function firstMerchants(db: Database, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('merchant')
    .select('merchant_uuid')
    .where('account_id', '=', accountId)
    .limit(2)
    .execute()
  return rows.map((row) => row.merchant_uuid)
}

/**
 * The merchant that `reference` (its referenceId or its UUID) names within the account, and within the group if one is
 * given. A UUID takes precedence over a referenceId of the same text.
 */
export async function findReferencedMerchant(
  db: Database,
  within: { accountId: string; groupId: string | null; reference: string },
): Promise<string | null> {
  const { accountId, groupId, reference } = within
  const named = async (by: 'merchant_uuid' | 'reference_id') => {
    let query = db.selectFrom('merchant').select('merchant_uuid').where('account_id', '=', accountId)
    if (groupId !== null)
      query = query.where('merchant_uuid', 'in', (member) =>
        member.selectFrom('merchant_group_member').select('merchant_uuid').where('group_id', '=', groupId),
      )
    return (await query.where(by, '=', reference).executeTakeFirst())?.merchant_uuid ?? null
  }
  return (isUuid(reference) && (await named('merchant_uuid'))) || named('reference_id')
}

/** Merchants that a credential may act on, by name. */
export async function reachableMerchants(
  db: Database,
  { accountId, groupId, merchantUuid }: { accountId: string; groupId: string | null; merchantUuid: string | null },
  limit: number,
): Promise<{ merchantUuid: string; referenceId: string; merchantName: string }[]> {
  let query = db
    .selectFrom('merchant')
    .select(['merchant_uuid as merchantUuid', 'reference_id as referenceId', 'merchant_name as merchantName'])
    .where('account_id', '=', accountId)
  if (merchantUuid !== null) query = query.where('merchant_uuid', '=', merchantUuid)
  if (groupId !== null)
    query = query.where('merchant_uuid', 'in', (member) =>
      member.selectFrom('merchant_group_member').select('merchant_uuid').where('group_id', '=', groupId),
    )
  return query.orderBy('merchant_name').orderBy('merchant_uuid').limit(limit).execute()
}
