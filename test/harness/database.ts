import { randomUUID } from 'node:crypto'
import type { RawBuilder } from 'kysely'
import pg from 'pg'
import { connect, type Database } from '../../db/core/connect.ts'
import { testServers } from './servers.ts'

/** Migrated once per run; databases are copied from it. */
export const TEMPLATE = 'recoup_template'

export interface TestDatabase {
  /** With the role of API and worker, which reads and writes rows. */
  url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** A new, empty, migrated database. Disposing drops it, even with open connections. */
export async function createDatabase(): Promise<TestDatabase> {
  const { url, ...database } = await copyOf(TEMPLATE)
  return { ...database, url: asApp(url) }
}

/** Password of the superuser and of the role of API and worker. */
export const PASSWORD = 'recoup'
const as = (url: string, username: string) => Object.assign(new URL(url), { username, password: PASSWORD }).href
export const asApp = (url: string) => as(url, 'recoup_app')
/** For tests that change tables or need a superuser. */
export const asOwner = (url: string) => as(url, 'postgres')

/** Runs one statement, or several without values, that only the owner of the tables may run. */
export const byOwner = (url: string, statement: RawBuilder<unknown>): Promise<unknown> =>
  withOwner(url, (owner) => statement.execute(owner))

/** Runs `work` over a connection of the owner of the tables. */
export async function withOwner<T>(url: string, work: (owner: Database) => Promise<T>): Promise<T> {
  const owner = connect(asOwner(url), { scope: 'owner', max: 1 })
  return work(owner).finally(() => owner.destroy())
}

/** A new database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return copyOf('template0')
}

async function copyOf(template: string): Promise<TestDatabase> {
  const { postgresUrl } = testServers()
  const name = `t_${randomUUID().replaceAll('-', '')}`
  // Copying the files takes a quarter of the processor time of copying through the log, the default.
  await administer(postgresUrl, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: postgresUrl.replace(/\/postgres$/, `/${name}`),
    [Symbol.asyncDispose]: () => administer(postgresUrl, `drop database if exists ${name} with (force)`),
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
