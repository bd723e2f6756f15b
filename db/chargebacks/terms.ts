import { sql } from 'kysely'
import type { Terms } from '../../domain/decision.ts'
import type { ScopeRules } from '../../domain/scope.ts'
import type { Database } from '../core/connect.ts'

/** Settings of integrations, their merchants and accounts for handling chargebacks, by integration; one statement. */
export async function loadTerms(db: Database, integrationIds: readonly string[]): Promise<Map<string, Terms>> {
  if (integrationIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('integration as i')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'i.merchant_uuid')
    .innerJoin('account as a', 'a.account_id', 'm.account_id')
    .leftJoin('scope_version as s', (join) =>
      join.onRef('s.integration_id', '=', 'i.integration_id').onRef('s.version', '=', 'i.scope_version'),
    )
    .select([
      'i.integration_id',
      'i.go_live_date',
      'i.go_live_waits',
      'i.deactivation_type',
      'i.deactivation_date',
      'm.deactivation_type as merchant_type',
      'm.deactivation_date as merchant_date',
      'a.settings',
      's.version',
      's.rules',
    ])
    .where('i.integration_id', 'in', integrationIds)
    .execute()
  return new Map(rows.map((row) => [row.integration_id, toTerms(row)]))
}

/**
 * A number that grows with every change of the rules' inputs: scope, go-live and deactivation dates of the integration
 * and its merchant, and the account's settings, which raise `go_live_revision`. A decision made under a lower number is
 * out of date.
 */
export const rulesVersion = (integration: string, merchant: string) =>
  sql<number>`${sql.ref(`${integration}.scope_version`)} + ${sql.ref(`${integration}.go_live_revision`)}
    + ${sql.ref(`${integration}.deactivation_revision`)} + ${sql.ref(`${merchant}.deactivation_revision`)}`

/** Converts stored columns to the input of the rules. */
export function toTerms(row: {
  go_live_date: Date | null
  go_live_waits: boolean
  deactivation_type: string | null
  deactivation_date: Date | null
  merchant_type: string | null
  merchant_date: Date | null
  settings: unknown
  version: number | null
  rules: unknown
}): Terms {
  return {
    goLiveDate: row.go_live_date,
    goLiveWaits: row.go_live_waits,
    integrationDeactivation: deactivation(row.deactivation_type, row.deactivation_date),
    merchantDeactivation: deactivation(row.merchant_type, row.merchant_date),
    settings: row.settings as Record<string, unknown>,
    scope: row.version === null ? null : { version: row.version, rules: row.rules as ScopeRules },
  }
}

const deactivation = (type: string | null, date: Date | null): Terms['merchantDeactivation'] =>
  type && date ? { type: type as 'postingDate' | 'dueDate', date } : null
