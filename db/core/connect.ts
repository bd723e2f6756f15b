import { Kysely, PostgresDialect, PostgresIntrospector, sql, type TableMetadata } from 'kysely'
import pg from 'pg'
import type { Environment } from '../../domain/integration.ts'
import type { DB } from '../schema.ts'
import type { Clock } from './clock.ts'
import { refuseOtherEnvironment } from './environment.ts'
import { scopedPool } from './scope.ts'

export type Database = Kysely<DB>
export type ConnectedDatabase = Database & { pool: pg.Pool }

export interface DatabaseOptions {
  /**
   * Rows that statements outside `inScope` see: all, or none. `owner`: all, set once per connection, so that one text
   * may hold several statements; not through a pooler.
   */
  scope: 'system' | 'none' | 'owner'
  /** Connections. The sum of `max` over all processes stays below the server's max_connections. */
  max?: number
  /** ms after which the server cancels a statement; 0 = never (migrations). */
  statementTimeoutMs?: number
  onError?: (error: Error) => void
  /** Compared over each new connection before any other statement. */
  clock?: Clock
  /** Checked on each new connection: no statement reaches a database of another environment. */
  environment?: Environment
}

// int8 as bigint: amounts in minor units exceed a double.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** A pool and a query builder over it. The caller closes it with `db.destroy()`. */
export function connect(url: string, options: DatabaseOptions): ConnectedDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 8,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    statement_timeout: options.statementTimeoutMs ?? 15_000,
    idle_in_transaction_session_timeout: 30_000,
    // The pool awaits it, although its types don't say so.
    onConnect: async (client: pg.ClientBase) => {
      if (options.environment) await refuseOtherEnvironment(client, options.environment)
      await options.clock?.compare(client)
      if (options.scope === 'owner') await client.query(`select set_config('recoup.scope', 'system', false)`)
    },
  })
  // Without a listener a stopping Postgres would end this process. The pool listens on idle connections only; a
  // connection inside a transaction reports the error to its query anyway.
  pool.on('error', (error) => options.onError?.(error))
  pool.on('connect', (client) => client.on('error', () => undefined))
  return over(pool, options.scope)
}

/** A second query builder over a database's pool. */
export function over(pool: pg.Pool, scope: DatabaseOptions['scope']): ConnectedDatabase {
  const statements = scope === 'owner' ? pool : scopedPool(pool, scope === 'system' ? 'system' : null)
  return Object.assign(new Kysely<DB>({ dialect: new Dialect({ pool: statements }) }), { pool })
}

class Dialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): TableNames {
    return new TableNames(db)
  }
}

/**
 * Reads only the names of kysely's own tables. The migrator needs no more, and asks three times for each migration. Kysely's
 * introspector reads all columns of all tables each time, which was half of the time to migrate a new database.
 */
class TableNames extends PostgresIntrospector {
  readonly #db: Kysely<unknown>

  constructor(db: Kysely<unknown>) {
    super(db)
    this.#db = db
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ name: string; schema: string }>`
      select relname as name, relnamespace::regnamespace::text as schema from pg_class
      where relkind = 'r' and relname like 'kysely%'`.execute(this.#db)
    return rows.map((table) => ({ ...table, isView: false, columns: [] }))
  }
}

/** One round trip. @throws when the database does not respond within 2 s */
export async function ping(db: Database): Promise<void> {
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error('the database is late')), 2_000).unref(),
  )
  await Promise.race([sql`select 1`.execute(db), late])
}
