import { type Kysely, sql } from 'kysely'

/**
 * Bytes of stored files by account, counted by the table itself so that no way of removing a file can miss it (0019
 * counts the existing files); and the progress of the sweep of expired rows, by kind of row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table account_usage (
      account_id uuid primary key references account,
      file_bytes bigint not null default 0
    );
    create function count_file_bytes() returns trigger language plpgsql as $$
      declare
        change bigint := 0;
      begin
        if tg_op <> 'INSERT' and old.erased_at is null then change := change - old.bytes; end if;
        if tg_op <> 'DELETE' and new.erased_at is null then change := change + new.bytes; end if;
        if change <> 0 then
          insert into account_usage as u (account_id, file_bytes)
            select account_id, change from merchant where merchant_uuid = coalesce(new.merchant_uuid, old.merchant_uuid)
            on conflict (account_id) do update set file_bytes = u.file_bytes + excluded.file_bytes;
        end if;
        return null;
      end $$;
    create trigger file_bytes_counted after insert or delete or update of erased_at on file
      for each row execute function count_file_bytes();

    create table retention_sweep (
      kind text primary key,
      -- The last key that the current pass has checked; null between two passes.
      position text,
      deleted bigint not null default 0,
      -- Time of the oldest row that the last complete pass kept, and that the current pass has kept so far.
      oldest_at timestamptz,
      pass_oldest_at timestamptz,
      passed_at timestamptz
    );
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
