import { type Kysely, sql } from 'kysely'

/**
 * The identity of a dispute: PSP, the PSP account that it belongs to, the PSP's id of it. Chargebacks carry the
 * account, commands the whole identity as it was when they were requested, and one command per identity and round can
 * be open or have succeeded, through whichever chargeback it was requested. `?` is an account that no PSP has
 * confirmed.
 * Effects in progress keep their idempotency keys: only their names change.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The environment that this database serves; set by the migration's caller, compared at each start.
    create table deployment (
      one boolean primary key default true check (one),
      environment text not null check (environment in ('sandbox', 'production'))
    );

    alter table integration add column claimed_account text;
    update integration set claimed_account = case
        when source = 'stripe' and external_identifier like 'acct\\_%' then external_identifier
        else psp_account end
      where verified_at is not null;
    create index integration_of_account on integration (source, claimed_account) where claimed_account is not null;

    alter table chargeback
      add column psp_account text not null default '?',
      add column merged_into uuid references chargeback;
    update chargeback c set psp_account = coalesce(case i.source
        when 'paypal' then coalesce(c.merchant_reference_name, i.claimed_account)
        when 'adyen' then coalesce(c.merchant_reference_name, i.claimed_account)
        when 'braintree' then i.claimed_account || '/' || coalesce(c.merchant_reference_name, '?')
        else i.claimed_account end, '?')
      from integration i where i.integration_id = c.integration_id;
    -- Of two merged chargebacks of the same dispute, one is in no list.
    drop index chargeback_list, chargeback_by_status, chargeback_by_psp_status, chargeback_by_psp;
    create index chargeback_list on chargeback (merchant_uuid, posting_sort desc, id desc) where merged_into is null;
    create index chargeback_by_status on chargeback (merchant_uuid, status, posting_sort desc, id desc)
      where merged_into is null;
    create index chargeback_by_psp_status on chargeback (merchant_uuid, psp_status, posting_sort desc, id desc)
      where merged_into is null;
    create index chargeback_by_psp on chargeback (merchant_uuid, psp, posting_sort desc, id desc)
      where merged_into is null;

    alter table command
      add column source text,
      add column psp_account text,
      add column reference text;
    update command k set source = i.source, psp_account = c.psp_account, reference = c.chargeback_id
      from chargeback c join integration i on i.integration_id = c.integration_id where c.id = k.chargeback_id;
    -- A dispute that was connected twice may have two commands: the later ones lose their claim and keep their result.
    update command k set psp_account = k.psp_account || '#' || k.command_id
      from (
        select command_id, row_number() over (
          partition by source, psp_account, reference, round order by status = 'succeeded' desc, requested_at) as place
        from command where status <> 'failed'
      ) ranked
      where ranked.command_id = k.command_id and ranked.place > 1;
    alter table command
      alter column source set not null,
      alter column psp_account set not null,
      alter column reference set not null;
    create unique index command_one_per_dispute on command (reference, source, psp_account, round)
      where status <> 'failed';

    update psp_operation o
      set effect = concat_ws(':', split_part(o.effect, ':', 1), k.source, k.psp_account, k.reference, k.round)
      from command k
      where k.command_id = o.command_id and o.effect similar to '(accept|submit):%';
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
