import { type SqlBool, sql } from 'kysely'
import { type MerchantStatus, merchantStatus } from '../../domain/accounts/merchant-status.ts'
import type { IntegrationStatus } from '../../domain/integration.ts'
import type { Database } from '../core/connect.ts'

/** A merchant as operators see it: across accounts, without its contact. */
export interface OperatedMerchant {
  merchantUuid: string
  merchantName: string
  /** Derived from dates and integrations, now. */
  status: MerchantStatus
  /** Number of integrations that are not deactivated. */
  integrations: number
  referenceId: string
  accountId: string
  groupIds: string[]
  websiteUrl: string
  mcc: string | null
  activationDate: Date | null
  deactivationType: string | null
  deactivationDate: Date | null
  createdAt: Date
}

export interface OperatedMerchantFilter {
  accountId?: string | undefined
  groupId?: string | undefined
  merchantUuid?: string | undefined
  referenceId?: string | undefined
  limit: number
}

type Row = Omit<OperatedMerchant, 'status' | 'integrations'> & {
  connected: { status: IntegrationStatus; goLiveDate: string | null; goLiveWaits: boolean }[]
}

/** Newest first, of all accounts. */
export async function operatedMerchants(db: Database, filter: OperatedMerchantFilter): Promise<OperatedMerchant[]> {
  const { accountId, groupId, merchantUuid, referenceId, limit } = filter
  const conditions = [
    sql<SqlBool>`true`,
    ...(accountId ? [sql<SqlBool>`m.account_id = ${accountId}`] : []),
    ...(merchantUuid ? [sql<SqlBool>`m.merchant_uuid = ${merchantUuid}`] : []),
    ...(referenceId ? [sql<SqlBool>`m.reference_id = ${referenceId}`] : []),
    ...(groupId
      ? [sql<SqlBool>`m.merchant_uuid in (select merchant_uuid from merchant_group_member where group_id = ${groupId})`]
      : []),
  ]
  const { rows } = await sql<Row>`
    with page as (
      select * from merchant m where ${sql.join(conditions, sql` and `)}
      order by m.created_at desc, m.merchant_uuid desc limit ${limit}
    )
    select p.merchant_uuid as "merchantUuid", p.merchant_name as "merchantName", p.reference_id as "referenceId",
      p.account_id as "accountId", p.website_url as "websiteUrl", p.mcc, p.activation_date as "activationDate",
      p.deactivation_type as "deactivationType", p.deactivation_date as "deactivationDate", p.created_at as "createdAt",
      array(select g.group_id::text from merchant_group_member g where g.merchant_uuid = p.merchant_uuid order by 1) as "groupIds",
      (select coalesce(json_agg(json_build_object('status', i.status, 'goLiveDate', i.go_live_date,
        'goLiveWaits', i.go_live_waits)), '[]')
        from integration i where i.merchant_uuid = p.merchant_uuid and i.status <> 'INACTIVE') as connected
    from page p order by p.created_at desc, p.merchant_uuid desc`.execute(db)
  return rows.map(({ connected, merchantUuid, merchantName, ...row }) => ({
    merchantUuid,
    merchantName,
    status: merchantStatus({
      now: new Date(),
      activationDate: row.activationDate,
      deactivationDate: row.deactivationDate,
      integrations: connected.map(({ goLiveDate, ...one }) => ({
        ...one,
        goLiveDate: goLiveDate === null ? null : new Date(goLiveDate),
      })),
    }),
    integrations: connected.length,
    ...row,
  }))
}
