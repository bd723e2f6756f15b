import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../../db/migrations/index.ts'
import { faultsOfMigration } from './migration-rules.ts'

/** Written before the rules, or measured: see docs/decisions/0027. */
const LAST_WITHOUT_RULES = '0012'
const MEASURED: Record<string, string[]> = {
  // Adds an empty column with its check: reads the table once, 0.2 s for a million rows.
  '0013-further-answers': ['reads the table under a lock'],
  // There are few credentials.
  '0015-credential-roles': ['reads the table under a lock'],
  // One row for each account, each in its own transaction.
  '0019-files-counted': ['goes over a whole table'],
}
const names = readdirSync('db/migrations')
  .filter((name) => /^\d{4}-/.test(name))
  .map((name) => name.replace('.ts', ''))
const source = (name: string) => readFileSync(`db/migrations/${name}.ts`, 'utf8')

test('every migration is in the list, in its order', () => {
  expect(Object.keys(migrations)).toEqual(names.sort())
})

describe.each(names.filter((name) => name.slice(0, 4) > LAST_WITHOUT_RULES))('%s', (name) => {
  test('blocks no writer, as far as its text shows', () => {
    const faults = faultsOfMigration(source(name))
    expect(faults.filter((fault) => !MEASURED[name]?.some((known) => fault.includes(known)))).toEqual([])
  })
})

describe('the rules refuse', () => {
  test.each([
    'create index chargeback_x on chargeback (arn)',
    'create unique index concurrently chargeback_x on chargeback (arn)',
    'alter table chargeback alter column amount_minor type numeric',
    'alter table chargeback alter column arn set not null',
    'alter table chargeback add column a uuid default gen_random_uuid()',
    'alter table chargeback add column a text not null',
    'alter table chargeback add column a text generated always as (upper(arn)) stored',
    'alter table chargeback rename column arn to a',
    'alter table chargeback drop column arn',
    'alter table chargeback add constraint x check (arn is not null)',
    'alter table chargeback add constraint x foreign key (arn) references account',
    'alter table chargeback add constraint x unique (arn)',
    `update chargeback set arn = 'x'`,
    'delete from timeline_event where true',
    'create table a (b int); insert into a select 1 from chargeback',
    'drop table chargeback',
    'vacuum full chargeback',
  ])('%s', (statement) => {
    expect(faultsOfMigration(`await sql\`${statement}\`.execute(db)`)).toHaveLength(1)
  })
})

describe('the rules accept', () => {
  test.each([
    'create table a (b int not null, c text check (c is not null)); create index a_b on a (b)',
    'alter table chargeback add column a text, add column b boolean not null default false',
    'alter table chargeback add constraint x check (arn is not null) not valid',
    'alter table chargeback validate constraint x',
    'alter table chargeback add constraint x unique using index chargeback_x',
    'create function f() returns trigger language plpgsql as $$ begin update chargeback set arn = 1; end $$',
  ])('%s', (statement) => {
    expect(faultsOfMigration(`await sql\`${statement}\`.execute(db)`)).toEqual([])
  })

  test('batches outside a transaction', () => {
    const batch = "update chargeback set arn = 'x' where id in (select id from chargeback where arn is null limit 500)"
    expect(faultsOfMigration(`sql\`${batch}\`\nexport const concurrent = true`)).toEqual([])
    expect(faultsOfMigration(`sql\`${batch}\``)).toHaveLength(1)
  })
})
