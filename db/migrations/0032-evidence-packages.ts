import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * Packages of evidence that Recoup builds: docs/decisions/0063 and 0064. Their text is sealed, their PDF is a row of `file`.
 * Every change of a chargeback that builds evidence asks for a package, whichever statement writes it: the trigger also holds for
 * processes of the version before. Built files don't count towards the merchant's limit, because the merchant can't
 * delete them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await sql`alter table file add column if not exists origin text not null default 'uploaded'`.execute(trx)
  })
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await sql`alter table merchant add column if not exists automatic_submission jsonb`.execute(trx)
  })
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await sql`
      alter table chargeback add column if not exists package_wanted_at timestamptz,
        add column if not exists package_at timestamptz,
        add column if not exists automatic_hold boolean not null default false,
        add column if not exists automatic_told_round integer`.execute(trx)
    // A build compares the time with the one that it has read: always another one, and later than the last build, also
    // after the clock was set back.
    await sql`
      create or replace function next_package_wanted(wanted timestamptz, built timestamptz) returns timestamptz
        language plpgsql volatile as $$
        declare
          changed timestamptz := greatest(clock_timestamp(), built + interval '1 microsecond');
        begin
          if changed = wanted then return changed + interval '1 microsecond'; end if;
          return changed;
        end $$`.execute(trx)
    await sql`
      create or replace function want_package() returns trigger language plpgsql as $$
        begin
          new.package_wanted_at := next_package_wanted(old.package_wanted_at, old.package_at);
          return new;
        end $$`.execute(trx)
    await sql`
      create or replace trigger chargeback_package before update on chargeback for each row
        when (new.status = 'building_evidence' and new.version <> old.version) execute function want_package()`.execute(
      trx,
    )
  })
  await sql`
    create or replace function count_file_bytes() returns trigger language plpgsql as $$
      declare
        change bigint := 0;
      begin
        if coalesce(new.origin, old.origin) = 'built' then return null; end if;
        if tg_op <> 'INSERT' and old.erased_at is null then change := change - old.bytes; end if;
        if tg_op <> 'DELETE' and new.erased_at is null then change := change + new.bytes; end if;
        if change <> 0 then
          execute 'insert into account_usage as u (account_id, file_bytes)
            select account_id, $1 from merchant where merchant_uuid = $2
            on conflict (account_id) do update set file_bytes = u.file_bytes + excluded.file_bytes'
            using change, coalesce(new.merchant_uuid, old.merchant_uuid);
        end if;
        return null;
      end $$`.execute(db)
  await createPackages(db)
  await indexConcurrently(
    db,
    'chargeback_package_wanted',
    `chargeback (due_date, id) where status = 'building_evidence' and (package_at is null or package_wanted_at > package_at)`,
  )
}

async function createPackages(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows: found } = await sql`select from pg_class where oid = to_regclass('public.evidence_package')`.execute(
      trx,
    )
    if (found.length > 0) return
    await sql`
      create table evidence_package (
        package_id uuid primary key,
        merchant_uuid uuid not null references merchant,
        chargeback_id uuid not null references chargeback,
        round integer not null,
        version integer not null check (version > 0),
        state text not null check (state in ('current', 'superseded', 'frozen', 'erased', 'refused')),
        digest text not null,
        file_id uuid,
        content_sealed text,
        persons bytea[] not null default '{}',
        play text not null,
        playbook_version integer not null,
        override_version integer,
        completeness double precision not null,
        required_missing integer not null,
        kept text[] not null,
        manual_only boolean not null,
        contradicted boolean not null,
        pages integer,
        bytes integer,
        built_at timestamptz not null default now(),
        unique (chargeback_id, round, version)
      );
      create unique index evidence_package_latest on evidence_package (chargeback_id, round)
        where state in ('current', 'refused');
      create index evidence_package_of_file on evidence_package (file_id) where file_id is not null;
      create index evidence_package_persons on evidence_package using gin (persons) where persons <> '{}';
      create policy scope on evidence_package using (case scope_kind() when 'system' then true
        when 'merchant' then merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid else false end)`.execute(
      trx,
    )
    const { rows } = await sql<{ enforced: boolean }>`
      select relrowsecurity and relforcerowsecurity as enforced from pg_class
      where oid = 'public.chargeback'::regclass`.execute(trx)
    if (rows[0]?.enforced)
      await sql`alter table evidence_package enable row level security, force row level security`.execute(trx)
  })
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
