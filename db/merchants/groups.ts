import { sql } from 'kysely'
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

export interface GroupRecord {
  groupId: string
  name: string
  /** Number of members. */
  merchants: number
  accountId: string
  createdAt: Date
}

/** Oldest first, of one account, with one member, or all. */
export async function listGroups(
  db: Database,
  which: { accountId?: string | undefined; merchantUuid?: string | undefined },
): Promise<GroupRecord[]> {
  const { rows } = await sql<GroupRecord>`
    select g.group_id as "groupId", g.name,
      (select count(*) from merchant_group_member m where m.group_id = g.group_id)::int as merchants,
      g.account_id as "accountId", g.created_at as "createdAt"
    from merchant_group g
    where (${which.accountId ?? null}::uuid is null or g.account_id = ${which.accountId ?? null})
      and (${which.merchantUuid ?? null}::uuid is null or exists (
        select from merchant_group_member m where m.group_id = g.group_id and m.merchant_uuid = ${which.merchantUuid ?? null}))
    order by g.created_at, g.group_id`.execute(db)
  return rows
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
