import { sql } from 'kysely'
import type { ScopeRules } from '../../domain/scope.ts'
import { tidyRules } from '../../domain/scope-options.ts'
import type { Database } from '../core/connect.ts'
import { integrationNotFound } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { requestScopeRun } from './scope-runs.ts'

export interface SavedRules {
  /** Counts from 1; 0 when no rules were ever saved. */
  version: number
  rules: ScopeRules
}

/** @throws Refusal integration_not_found, also for an integration of another merchant */
export async function readScopeRules(
  db: Database,
  { merchantUuid, integrationId }: { merchantUuid: string; integrationId: string },
): Promise<SavedRules> {
  const row = await db
    .selectFrom('integration as i')
    .leftJoin('scope_version as s', (join) =>
      join.onRef('s.integration_id', '=', 'i.integration_id').onRef('s.version', '=', 'i.scope_version'),
    )
    .select(['i.scope_version', 's.rules'])
    .where('i.merchant_uuid', '=', merchantUuid)
    .where('i.integration_id', '=', integrationId)
    .executeTakeFirst()
  if (!row) throw integrationNotFound()
  return { version: row.scope_version, rules: (row.rules ?? {}) as ScopeRules }
}

/**
 * Saves the rules as a new version and requests an evaluation of the integration's chargebacks in the same transaction.
 * Earlier versions are kept.
 * @returns the outbox message to dispatch after the commit
 * @throws Refusal integration_not_found, also for an integration of another merchant
 */
export function saveScopeRules(
  db: Database,
  saving: { merchantUuid: string; integrationId: string; credentialId: string; rules: ScopeRules },
): Promise<{ version: number; outboxId: bigint | null }> {
  const { merchantUuid, integrationId, credentialId } = saving
  return inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('integration')
      .set({ scope_version: sql<number>`scope_version + 1` })
      .where('merchant_uuid', '=', merchantUuid)
      .where('integration_id', '=', integrationId)
      .returning('scope_version as version')
      .executeTakeFirst()
    if (!row) throw integrationNotFound()
    await trx
      .insertInto('scope_version')
      .values({
        integration_id: integrationId,
        version: row.version,
        rules: JSON.stringify(tidyRules(saving.rules)),
        credential_id: credentialId,
      })
      .execute()
    return { version: row.version, outboxId: await requestScopeRun(trx, integrationId) }
  })
}

/** Copies the parent's current rules to a new child; later changes of the parent do not affect it. */
export async function copyScopeRules(
  db: Database,
  { merchantUuid, from, to }: { merchantUuid: string; from: string; to: string },
): Promise<void> {
  await sql`
    with copied as (
      insert into scope_version (integration_id, version, rules, copied_from)
      select ${to}::uuid, 1, s.rules, s.integration_id from scope_version s
      join integration i on i.integration_id = s.integration_id and i.scope_version = s.version
      where i.merchant_uuid = ${merchantUuid} and i.integration_id = ${from}
      returning integration_id
    )
    update integration i set scope_version = 1 from copied where i.integration_id = copied.integration_id`.execute(db)
}

/** Distinct reason codes of the merchant's chargebacks, by one index skip per code; or those of `among`. */
export async function seenReasonCodes(
  db: Database,
  { merchantUuid, among }: { merchantUuid: string; among?: readonly string[] },
): Promise<string[]> {
  if (among) {
    const { rows } = await sql<{ code: string }>`
      select w.code from unnest(${[...among]}::text[]) as w(code)
      where exists (select from chargeback where merchant_uuid = ${merchantUuid} and reason_code = w.code)`.execute(db)
    return rows.map((row) => row.code)
  }
  const { rows } = await sql<{ code: string }>`
    with recursive seen as (
      (select reason_code as code from chargeback
        where merchant_uuid = ${merchantUuid} and reason_code is not null order by reason_code limit 1)
      union all
      select (select c.reason_code from chargeback c
        where c.merchant_uuid = ${merchantUuid} and c.reason_code > seen.code order by c.reason_code limit 1)
      from seen where seen.code is not null
    )
    select code from seen where code is not null`.execute(db)
  return rows.map((row) => row.code)
}
