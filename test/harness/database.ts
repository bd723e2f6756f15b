import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { testServers } from './servers.ts'

/** Migrated once per run; databases are copied from it in about 20 ms. */
export const TEMPLATE = 'recoup_template'

export interface TestDatabase {
  url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** An empty, migrated database of its own. Disposing drops it, whoever is still connected. */
export async function createDatabase(): Promise<TestDatabase> {
  return copyOf(TEMPLATE)
}

/** An empty database of its own, without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return copyOf('template0')
}

async function copyOf(template: string): Promise<TestDatabase> {
  const { postgresUrl } = testServers()
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await administer(postgresUrl, `create database ${name} template ${template}`)
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
