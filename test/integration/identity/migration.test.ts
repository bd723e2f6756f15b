import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openOperation } from '../../../db/commands/psp-operations.ts'
import { connect } from '../../../db/core/connect.ts'
import { migrate, migrator } from '../../../db/core/migrate.ts'
import { effectName } from '../../../domain/dispute.ts'
import { createEmptyDatabase } from '../../harness/database.ts'

/** One Stripe account that was connected twice, as migration 9 still allowed: two chargebacks, two commands. */
const BEFORE = sql`
  insert into account (account_id, name) values ('00000000-0000-7000-8000-000000000001', 'A');
  insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed)
    values ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'm', 'M', 'https://m', '-');
  insert into integration (integration_id, merchant_uuid, source, integration_name, external_identifier, secret_type,
      secret_sealed, status, psp_account, verified_at)
    select ('00000000-0000-7000-8000-00000000001' || n)::uuid, '00000000-0000-7000-8000-000000000002', 'stripe', 'S',
      'name ' || n, 'APIKEY_ONLY', '-', 'SUCCESSFUL', 'acct_1', now() from generate_series(1, 2) n;
  insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor, amount_exponent,
      psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at, translation_version)
    select ('00000000-0000-7000-8000-00000000002' || n)::uuid, '00000000-0000-7000-8000-000000000002',
      ('00000000-0000-7000-8000-00000000001' || n)::uuid, 'du_1', 'stripe', 'USD', 1, 2, 'needs_response',
      'waiting_for_data', '-', 'chargeback', 'fraud', '', now(), 1 from generate_series(1, 2) n;
  insert into command (command_id, kind, merchant_uuid, chargeback_id, round, status, deadline)
    select ('00000000-0000-7000-8000-00000000003' || n)::uuid, 'acceptance', '00000000-0000-7000-8000-000000000002',
      ('00000000-0000-7000-8000-00000000002' || n)::uuid, 1, case n when 1 then 'inProgress' else 'succeeded' end, now()
    from generate_series(1, 2) n;
  insert into psp_operation (psp_operation_id, command_id, effect, idempotency_key, state)
    values (gen_random_uuid(), '00000000-0000-7000-8000-000000000032',
      'accept:00000000-0000-7000-8000-000000000022:1', 'accept:00000000-0000-7000-8000-000000000022:1:1', 'unknown')`

test('a migration identifies existing disputes; an unfinished effect keeps its key and is found', async () => {
  await using database = await createEmptyDatabase()
  await using db = Object.assign(connect(database.url, { scope: 'owner', max: 1 }), {
    [Symbol.asyncDispose]: () => db.destroy(),
  })
  await migrator(db).migrateTo('0009-queues')
  await BEFORE.execute(db)
  await migrate(db, 'sandbox')

  const accounts = await db.selectFrom('chargeback').select('psp_account').execute()
  expect(accounts.map((row) => row.psp_account)).toEqual(['acct_1', 'acct_1'])
  const commands = await db.selectFrom('command').select(['status', 'psp_account']).orderBy('command_id').execute()
  // The succeeded command owns the dispute; the other one may end, and no further one can start.
  expect(commands).toEqual([
    { status: 'inProgress', psp_account: expect.stringMatching(/^acct_1#/) },
    { status: 'succeeded', psp_account: 'acct_1' },
  ])
  const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: 'du_1' }
  const operation = await openOperation(db, '00000000-0000-7000-8000-000000000032', effectName('accept', dispute, 1))
  expect(operation).toMatchObject({
    state: 'unknown',
    idempotencyKey: 'accept:00000000-0000-7000-8000-000000000022:1:1',
  })
})
