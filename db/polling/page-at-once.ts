import { sql } from 'kysely'
import { alertsOfWritten } from '../alerts/alerts.ts'
import { rulesVersion } from '../chargebacks/terms.ts'
import type { Database } from '../core/connect.ts'
import { PREPARED_FOR_SYSTEM } from '../core/scoped-query.ts'
import type { KeyRing } from '../core/seal.ts'
import { rawStored, somebodyErased } from '../erasure/kept-texts.ts'
import { fenced, type Lease } from './lease.ts'
import { listPageStored } from './list-pages.ts'
import type { Page } from './page.ts'
import { quarantineOfPage } from './quarantine.ts'
import { toldOfWritten, writtenRows } from './written.ts'

/**
 * Stores a page by one statement, outside a transaction: docs/decisions/0068. It writes nothing if anything about the page
 * needs further statements: its merchant has sent transaction records or erased a person, or the rules have changed since.
 * @returns null when nothing was written; also when the lease is lost
 */
export async function writePageAtOnce(
  db: Database,
  ring: KeyRing,
  lease: Lease,
  page: Page,
): Promise<{ created: number; changed: number } | null> {
  const { chargebacks, raw, timeline, listed, cursor, rulesVersion: decided, erasures, rawForm } = page
  const { integrationId } = lease
  const own = sql`exists (select from fence)`
  const isComplete = sql`((select count(*) from written) = ${chargebacks.length}::int and ${listed?.complete}::boolean)`
  const good = raw.map((one) => one.reference)
  const { rows } = await sql<{ fenced: boolean; created: number; changed: number }>`
    with fence as (
      update integration i set cursor = ${cursor && JSON.stringify(cursor.value)}::jsonb,
        cursor_version = ${cursor?.version}::int, ${fenced(lease).renews}
      from merchant m where ${fenced(lease).holds} and i.erasures = ${erasures}
        and m.merchant_uuid = i.merchant_uuid and ${rulesVersion('i', 'm')} = ${decided}
        and not ${somebodyErased(integrationId)}
        and not exists (select from transaction_record t where t.merchant_uuid = i.merchant_uuid)
      returning i.integration_id
    ), ${writtenRows(chargebacks, own)}, ${toldOfWritten(timeline)}, ${alertsOfWritten(chargebacks)},
    kept as (${rawStored(ring, integrationId, 'dispute', raw, own, rawForm)}),
    ${quarantineOfPage(ring, integrationId, { ...page, good }, own)}${
      listed
        ? sql`, listed as (${listPageStored(integrationId, listed, sql`${own} and ${isComplete}`)}), forgotten as (
      delete from list_page where integration_id = ${integrationId} and page_key = ${listed.key}
        and ${own} and not ${isComplete})`
        : sql``
    }
    select ${own} as fenced, count(*) filter (where created)::int as created,
      count(*) filter (where not created)::int as changed
    from written ${PREPARED_FOR_SYSTEM}`.execute(db)
  const [{ fenced: isFenced, ...counts } = { fenced: false, created: 0, changed: 0 }] = rows
  return isFenced ? counts : null
}

/** Whether a page needs no other statement, as far as it tells itself and was known when the poll began. */
export const fitsAtOnce = ({ standsAlone, cursor, chargebacks, quarantined, rereads }: Page): boolean =>
  standsAlone && cursor !== null && chargebacks.length + quarantined.length > 0 && rereads.length === 0
