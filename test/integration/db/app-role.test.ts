import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { migrate } from '../../../db/core/migrate.ts'
import { asOwner, createDatabase, createEmptyDatabase, type TestDatabase } from '../../harness/database.ts'
import { testServers } from '../../harness/servers.ts'

let database: TestDatabase
let app: pg.Client
beforeAll(async () => {
  database = await createDatabase()
  app = new pg.Client(database.url)
  await app.connect()
})
afterAll(async () => {
  await app.end()
  await database[Symbol.asyncDispose]()
})

const migrated = async (url: string, appUrl: string) => {
  const db = connect(url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  await migrate(db, 'sandbox', appUrl).finally(() => db.destroy())
}

describe('least privilege: the role of api and worker', () => {
  test.each([
    'alter table chargeback add column surprise text',
    'drop table chargeback',
    'truncate request_count',
    'create table surprise (a int)',
    'create index on chargeback (arn)',
    'alter table timeline_event disable trigger all',
    'drop trigger timeline_append_only on timeline_event',
    'create or replace function outbox_notify() returns trigger language plpgsql as $$ begin return null; end $$',
    'drop schema public cascade',
    'create role surprise',
    `set session_replication_role = replica`,
    `update deployment set environment = 'production'`,
    `delete from kysely_migration`,
    `copy account to program 'cat'`,
  ])('cannot: %s', async (statement) => {
    await expect(app.query(statement)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|0LP01)$/) })
  })

  test('is no superuser, cannot bypass row-level security, and is a member of no other role', async () => {
    const { rows } = await app.query(`select rolsuper, rolbypassrls, rolcreatedb, rolcreaterole,
      (select count(*)::int from pg_auth_members where member = r.oid) as memberships from pg_roles r where rolname = current_user`)
    expect(rows).toEqual([
      { rolsuper: false, rolbypassrls: false, rolcreatedb: false, rolcreaterole: false, memberships: 0 },
    ])
  })

  test('is created by an owner that is no superuser, and its password is stored as a hash', async () => {
    const empty = await createEmptyDatabase()
    const name = randomUUID().slice(0, 8)
    const [owner, role, password] = [`owner_${name}`, `app_${name}`, `pass-${name}!`]
    const admin = new pg.Client(asOwner(empty.url))
    await admin.connect()
    await admin.query(`create role ${owner} login createrole password 'o'`)
    await admin.query(`alter database ${new URL(empty.url).pathname.slice(1)} owner to ${owner}`)
    const of = (username: string, secret: string) =>
      Object.assign(new URL(empty.url), { username, password: secret }).href
    try {
      await migrated(of(owner, 'o'), of(role, password))
      // The second migration ignores another password in the URL.
      await migrated(of(owner, 'o'), of(role, 'other'))
      const client = new pg.Client(of(role, password))
      await client.connect()
      expect((await client.query('select count(*)::int from account')).rows).toEqual([{ count: 0 }])
      await expect(client.query('drop table account')).rejects.toMatchObject({ code: '42501' })
      await client.end()
      const { rows } = await admin.query('select rolpassword from pg_authid where rolname = $1', [role])
      expect(rows[0].rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/)
    } finally {
      await admin.end()
      await empty[Symbol.asyncDispose]()
    }
  })

  test('is not created by an owner without the right, and the error says what to do', async () => {
    const empty = await createEmptyDatabase()
    const owner = `owner_${randomUUID().slice(0, 8)}`
    const admin = new pg.Client(testServers().postgresUrl)
    await admin.connect()
    await admin.query(`create role ${owner} login password 'o'`)
    await admin.query(`alter database ${new URL(empty.url).pathname.slice(1)} owner to ${owner}`)
    const url = Object.assign(new URL(empty.url), { username: owner, password: 'o' })
    const missing = Object.assign(new URL(url), { username: 'nobody_yet', password: 'x' }).href
    await expect(migrated(url.href, missing)).rejects.toThrow('There is no role nobody_yet')
    await expect(migrated(url.href, url.href)).rejects.toThrow(`${owner} owns the tables`)
    const superuser = asOwner(url.href)
    await expect(migrated(url.href, superuser)).rejects.toThrow('postgres is a superuser')
    await admin.end()
    await empty[Symbol.asyncDispose]()
  })
})
