import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { raiseRevocationEpoch, requireAccount } from './accounts.ts'

/** @throws Refusal account_not_found */
export async function createGroup(
  db: Database,
  group: { accountId: string; name: string },
): Promise<{ groupId: string }> {
  await requireAccount(db, group.accountId)
  const groupId = uuidv7()
  await db
    .insertInto('merchant_group')
    .values({ group_id: groupId, account_id: group.accountId, name: group.name })
    .execute()
  return { groupId }
}

interface Membership {
  groupId: string
  merchantUuid: string
}

/** The account that both belong to. @throws Refusal group_not_found, merchant_not_found */
async function accountOf(db: Database, { groupId, merchantUuid }: Membership): Promise<string> {
  const group = await db
    .selectFrom('merchant_group')
    .select('account_id')
    .where('group_id', '=', groupId)
    .executeTakeFirst()
  if (!group) throw new Refusal('missing', 'group_not_found', `There is no merchant group ${groupId}.`)
  const merchant = await db
    .selectFrom('merchant')
    .select('merchant_uuid')
    .where('merchant_uuid', '=', merchantUuid)
    .where('account_id', '=', group.account_id)
    .executeTakeFirst()
  if (!merchant)
    throw new Refusal('missing', 'merchant_not_found', `The group's account has no merchant ${merchantUuid}.`)
  return group.account_id
}

/** Adds a member; a repeated call changes nothing. @throws Refusal group_not_found, merchant_not_found */
export function addToGroup(db: Database, membership: Membership): Promise<void> {
  return inTransaction(db, async (trx) => {
    const accountId = await accountOf(trx, membership)
    await trx
      .insertInto('merchant_group_member')
      .values({ group_id: membership.groupId, merchant_uuid: membership.merchantUuid })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await raiseRevocationEpoch(trx, accountId)
  })
}

/** Credentials of the group lose access within a second. @throws Refusal group_not_found, merchant_not_found */
export function removeFromGroup(db: Database, membership: Membership): Promise<void> {
  return inTransaction(db, async (trx) => {
    const accountId = await accountOf(trx, membership)
    await trx
      .deleteFrom('merchant_group_member')
      .where('group_id', '=', membership.groupId)
      .where('merchant_uuid', '=', membership.merchantUuid)
      .execute()
    await raiseRevocationEpoch(trx, accountId)
  })
}
