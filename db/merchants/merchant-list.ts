import { type SqlBool, sql } from 'kysely'
import { type MerchantStatus, merchantStatus } from '../../domain/accounts/merchant-status.ts'
import type { IntegrationStatus } from '../../domain/integration.ts'
import type { Database } from '../core/connect.ts'

/** A merchant as clients see it; without its contact. */
export interface MerchantRecord {
  merchantUuid: string
  merchantName: string
  referenceId: string
  /** Derived from dates and integrations at `now`. */
  status: MerchantStatus
}

export interface MerchantFilter {
  accountId: string
  now: Date
  /** 10 to 100. */
  limit: number
  /** From 1. */
  page: number
  merchantUuid?: string | undefined
  /** Range of the time of creation, both ends included. */
  startDate?: Date | undefined
  endDate?: Date | undefined
}

/** Merchants of the account with their statuses, newest first; one statement. */
export async function listMerchants(
  db: Database,
  filter: MerchantFilter,
): Promise<{ merchants: MerchantRecord[]; hasMore: boolean }> {
  const conditions = [
    ...(filter.merchantUuid ? [sql<SqlBool>`m.merchant_uuid = ${filter.merchantUuid}`] : []),
    ...(filter.startDate ? [sql<SqlBool>`m.created_at >= ${filter.startDate}`] : []),
    // Times are stored in microseconds and shown in milliseconds: include the whole last millisecond.
    ...(filter.endDate ? [sql<SqlBool>`m.created_at < ${new Date(filter.endDate.getTime() + 1)}`] : []),
  ]
  const offset = BigInt(filter.page - 1) * BigInt(filter.limit)
  const found = await merchantsWhere(db, filter, conditions, filter.limit + 1, offset)
  return { merchants: found.slice(0, filter.limit), hasMore: found.length > filter.limit }
}

/** @returns null when the account has no such merchant */
export async function readMerchant(
  db: Database,
  which: { accountId: string; merchantUuid: string; now: Date },
): Promise<MerchantRecord | null> {
  const [found] = await merchantsWhere(db, which, [sql<SqlBool>`m.merchant_uuid = ${which.merchantUuid}`], 1, 0n)
  return found ?? null
}

/** The merchant itself, whatever its account. @returns null when there is none */
export async function readOwnMerchant(
  db: Database,
  { merchantUuid, now }: { merchantUuid: string; now: Date },
): Promise<MerchantRecord | null> {
  const [found] = await merchantsWhere(
    db,
    { accountId: null, now },
    [sql<SqlBool>`m.merchant_uuid = ${merchantUuid}`],
    1,
    0n,
  )
  return found ?? null
}

interface Row {
  merchantUuid: string
  merchantName: string
  referenceId: string
  activationDate: Date | null
  deactivationDate: Date | null
  integrations: { status: IntegrationStatus; goLiveDate: string | null; goLiveWaits: boolean }[]
}

async function merchantsWhere(
  db: Database,
  { accountId, now }: { accountId: string | null; now: Date },
  conditions: ReturnType<typeof sql<SqlBool>>[],
  limit: number,
  offset: bigint,
): Promise<MerchantRecord[]> {
  const ofAccount = accountId === null ? [] : [sql<SqlBool>`m.account_id = ${accountId}`]
  const where = sql.join([...ofAccount, ...conditions], sql` and `)
  const { rows } = await sql<Row>`
    with page as (
      select * from merchant m where ${where}
      order by m.created_at desc, m.merchant_uuid desc limit ${limit} offset ${offset}
    )
    select p.merchant_uuid as "merchantUuid", p.merchant_name as "merchantName", p.reference_id as "referenceId",
      p.activation_date as "activationDate", p.deactivation_date as "deactivationDate",
      coalesce(i.integrations, '[]') as integrations
    from page p left join lateral (
      select json_agg(json_build_object('status', i.status, 'goLiveDate', i.go_live_date,
        'goLiveWaits', i.go_live_waits)) as integrations
      from integration i where i.merchant_uuid = p.merchant_uuid and i.status <> 'INACTIVE') i on true
    order by p.created_at desc, p.merchant_uuid desc`.execute(db)
  return rows.map(({ activationDate, deactivationDate, integrations, ...shown }) => ({
    ...shown,
    status: merchantStatus({
      now,
      activationDate,
      deactivationDate,
      integrations: integrations.map(({ goLiveDate, ...one }) => ({
        ...one,
        goLiveDate: goLiveDate === null ? null : new Date(goLiveDate),
      })),
    }),
  }))
}
