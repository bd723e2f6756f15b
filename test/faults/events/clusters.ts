import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../../local/postgres.ts'
import { postgresOwner } from '../../../local/postgres-files.ts'
import { quietPorts } from '../../../process/ports.ts'
import { PASSWORD } from '../../harness/database.ts'

/** Postgres servers of one test, in a folder of their own. */
export interface Clusters extends AsyncDisposable {
  start(name: string): Promise<PostgresServer>
  /** Starts a standby that follows a running server. */
  follow(primary: string, name: string): Promise<PostgresServer>
}

export function openClusters(): Clusters {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-clusters-'))
  // The user that runs Postgres instead of root needs access.
  chmodSync(folder, 0o711)
  const running = new Map<string, PostgresServer>()
  const start = async (name: string) => {
    const [port = 0] = await quietPorts(1)
    const server = await startPostgres({ folder: join(folder, name), port, password: PASSWORD })
    running.set(name, server)
    return server
  }
  return {
    start,
    async follow(primary, name) {
      const server = running.get(primary) as PostgresServer
      await copyData(server.url, join(folder, primary, 'data'), join(folder, name))
      return start(name)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running.values()].map((server) => server.stop().catch(() => undefined)))
      for (const name of running.keys()) rmSync(realpathSync(join(folder, name)), { recursive: true, force: true })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What pg_basebackup does, which the embedded Postgres lacks: copies the files between the two calls of the backup interface. */
async function copyData(url: string, from: string, folder: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    mkdirSync(folder)
    const to = join(folder, 'data')
    await client.query(`select pg_backup_start('standby', true)`)
    execFileSync('cp', ['-a', realpathSync(from), to])
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(to, name), { force: true })
    const { hostname, port, password } = new URL(url)
    const source = `host=${hostname} port=${port} user=postgres password=${decodeURIComponent(password)}`
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '')
    writeFileSync(join(to, 'standby.signal'), '')
    appendFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
    const owner = postgresOwner()
    for (const name of ['', 'backup_label', 'standby.signal'])
      if (owner) chownSync(join(to, name), owner.uid, owner.gid)
    if (owner) chownSync(folder, owner.uid, owner.gid)
  } finally {
    await client.end()
  }
}

/**
 * What pg_dump and a restore do, which the embedded Postgres lacks: copies all rows as text into a migrated, otherwise
 * empty database, and sets the sequences.
 */
export async function copyRows(from: string, to: string): Promise<void> {
  const [source, target] = [new pg.Client(from), new pg.Client(to)]
  await Promise.all([source.connect(), target.connect()])
  try {
    const { rows: tables } = await source.query<{ name: string; guarded: boolean }>(`
      select quote_ident(relname) as name, exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgenabled = 'A') as guarded
      from pg_class c where relnamespace = 'public'::regnamespace
        and relkind in ('r', 'p') and not relispartition and relname not like 'kysely%'`)
    // As pg_restore --disable-triggers: rows have been checked, and what triggers wrote is among them.
    await target.query(`begin; set local session_replication_role = replica; set local timezone = 'UTC'`)
    for (const { name, guarded } of tables) {
      // Rows of the migrations. Append-only tables keep theirs, which are the same.
      if (!guarded) await target.query(`delete from ${name}`)
      const { rows } = await source.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)
      const { rows: columns } = await source.query<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [name],
      )
      const names = columns[0]?.names ?? ''
      const all = `[${rows.map(({ row }) => row).join(',')}]`
      await target.query(
        `insert into ${name} (${names}) overriding system value
         select ${names} from jsonb_populate_recordset(null::${name}, $1::jsonb) on conflict do nothing`,
        [all],
      )
    }
    await target.query('commit')
    const { rows: sequences } = await source.query<{ name: string; last: string | null }>(
      `select quote_ident(sequencename) as name, last_value as last from pg_sequences where schemaname = 'public'`,
    )
    for (const { name, last } of sequences)
      if (last !== null) await target.query('select setval($1::regclass, $2)', [name, last])
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}
