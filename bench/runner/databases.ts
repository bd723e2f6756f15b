import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** Databases on one server that live as long as the benchmark. */
export interface Databases {
  /** @returns its URL; `template` must have no open connection */
  create(template?: string): Promise<string>
  drop(url: string): Promise<void>
  /** A checkpoint before the measurement, so that earlier writes don't trigger one during it. */
  checkpoint(): Promise<void>
  /** Version and the settings that writes depend on. */
  describe(): Promise<Record<string, string>>
  [Symbol.asyncDispose](): Promise<void>
}

/** @throws when the server is unreachable, or the user may not create databases */
export async function openDatabases(serverUrl: string): Promise<Databases> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  client.on('error', () => undefined)
  const made = new Set<string>()
  const nameIn = (url: string) => new URL(url).pathname.slice(1)
  const drop = async (name: string) => {
    await client.query(`drop database if exists ${name} with (force)`)
    made.delete(name)
  }
  return {
    async create(template) {
      const name = `bench_${randomUUID().replaceAll('-', '')}`
      await client.query(`create database ${name}${template ? ` template ${nameIn(template)}` : ''}`)
      made.add(name)
      return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
    },
    drop: (url) => drop(nameIn(url)),
    async checkpoint() {
      // Requires superuser or pg_checkpoint; without it the noise is slightly larger.
      await client.query('checkpoint').catch(() => undefined)
    },
    async describe() {
      const names = ['server_version', 'fsync', 'synchronous_commit', 'shared_buffers']
      const { rows } = await client.query(
        'select name, setting from unnest($1::text[]) n(name), current_setting(name) setting',
        [names],
      )
      return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
    },
    async [Symbol.asyncDispose]() {
      for (const name of [...made]) await drop(name).catch(() => undefined)
      await client.end()
    },
  }
}
