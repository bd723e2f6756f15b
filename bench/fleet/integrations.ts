import { sql } from 'kysely'
import { connect, type Database } from '../../db/core/connect.ts'
import { type KeyRing, readKeyRing, seal, sealContext } from '../../db/core/seal.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import { type Prepared, prepareBulk } from '../ours/recoup.ts'
import { keyOf } from '../psp/bulk.ts'
import type { Databases } from '../runner/databases.ts'

/** Merchants of a fleet, each with the same number of integrations. */
const MERCHANTS = 100
/** Rows of one statement. */
const SLICE = 5_000

/** A database in which shards poll many integrations of the bulk Stripe. */
export interface Fleet {
  databaseUrl: string
  ring: string
  integrations: number
}

/** A fleet whose integrations were polled before: each has the disputes of `poll`'s integration, by copies of its rows. */
export async function makeFleet(
  databases: Databases,
  integrations: number,
  poll: (prepared: Prepared) => Promise<unknown>,
): Promise<Fleet> {
  const prepared = await prepareBulk(databases)
  await poll(prepared)
  const { template, ring, integrationId } = prepared
  const db = connect(template, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  try {
    await sql`update integration set next_poll_at = null`.execute(db)
    await addIntegrations(db, readKeyRing(ring), { count: integrations, name: 'fleet' })
    await copyDisputes(db, integrationId)
    await sql`update integration set status = 'INACTIVE' where integration_id = ${integrationId}`.execute(db)
    await sql`vacuum analyze`.execute(db)
  } finally {
    await db.destroy()
  }
  return { databaseUrl: template, ring, integrations }
}

/**
 * Verified, and polled by shards an hour from now; each of a merchant of its own, up to a hundred merchants.
 * @returns the account of all of them
 */
export async function addIntegrations(
  db: Database,
  ring: KeyRing,
  { count, name }: { count: number; name: string },
): Promise<string> {
  const { accountId } = await createAccount(db, { name })
  const merchants: string[] = []
  for (let place = 0; place < Math.min(MERCHANTS, count); place++) {
    const { merchantUuid } = await createMerchant(db, ring, {
      accountId,
      merchantName: `Shop ${place}`,
      websiteUrl: 'https://shop.example',
      contact: { email: 'owner@shop.example', firstName: 'Olga', lastName: 'Owner' },
    })
    merchants.push(merchantUuid)
  }
  const { rows: ids } = await sql<{ id: string }>`
    select gen_random_uuid()::text as id from generate_series(1, ${count}::int)`.execute(db)
  for (let from = 0; from < count; from += SLICE) {
    const rows = ids.slice(from, from + SLICE).map(({ id: integrationId }, index) => {
      const place = from + index
      const merchantUuid = merchants[place % merchants.length] as string
      const account = `acct_${name}${place}`
      const context = sealContext.integrationSecret({ integrationId, source: 'stripe', merchantUuid })
      const sealed = seal(ring, JSON.stringify({ apiKey: keyOf(account) }), context)
      return { integrationId, merchantUuid, account, sealed }
    })
    await sql`
      insert into integration (integration_id, merchant_uuid, source, integration_name, external_identifier,
        claimed_account, psp_account, secret_type, secret_sealed, status, verified_at, next_poll_at)
      select id, merchant, 'stripe', 'Fleet', account, account, account, 'APIKEY_ONLY', sealed, 'SUCCESSFUL', now(),
        now() + interval '1 hour'
      from unnest(${rows.map((row) => row.integrationId)}::uuid[], ${rows.map((row) => row.merchantUuid)}::uuid[],
        ${rows.map((row) => row.account)}::text[], ${rows.map((row) => row.sealed)}::text[])
        as row (id, merchant, account, sealed)`.execute(db)
  }
  return accountId
}

/**
 * Chargebacks of one integration, its cursor and its known pages, for all others: each account lists the same. Their
 * transactions were read, and none is due for anything.
 */
async function copyDisputes(db: Database, integrationId: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = 'chargeback'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(db)
  const own: Record<string, string> = {
    id: 'gen_random_uuid()',
    integration_id: 'i.integration_id',
    merchant_uuid: 'i.merchant_uuid',
    psp_account: 'i.psp_account',
    context_at: 'now()',
    reread_after: `now() + interval '1 day'`,
  }
  const columns = rows.map(({ name }) => name)
  const values = columns.map((name) => own[name] ?? `c.${name}`)
  await sql`
    insert into chargeback (${sql.raw(columns.join(', '))})
    select ${sql.raw(values.join(', '))} from chargeback c cross join integration i
    where c.integration_id = ${integrationId} and i.integration_id <> ${integrationId}`.execute(db)
  await sql`
    insert into list_page (integration_id, page_key, fingerprint, translation_version, objects, next, object_hashes, due_at)
    select i.integration_id, p.page_key, p.fingerprint, p.translation_version, p.objects, p.next, p.object_hashes,
      now() + interval '1 day'
    from list_page p cross join integration i
    where p.integration_id = ${integrationId} and i.integration_id <> ${integrationId}`.execute(db)
  await sql`
    update integration i set cursor = first.cursor, cursor_version = first.cursor_version from integration first
    where first.integration_id = ${integrationId} and i.integration_id <> ${integrationId}`.execute(db)
}

/** All of them are due at once; nothing of the sweep before is left. */
export async function makeAllDue({ databaseUrl }: Fleet): Promise<void> {
  const db = connect(databaseUrl, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  try {
    await sql`update integration set next_poll_at = now() - random() * interval '1 minute', lease_until = null,
      lease_owner = null, poll_failures = 0 where status = 'SUCCESSFUL'`.execute(db)
    await sql`vacuum analyze integration`.execute(db)
    await sql`checkpoint`.execute(db).catch(() => undefined)
  } finally {
    await db.destroy()
  }
}
