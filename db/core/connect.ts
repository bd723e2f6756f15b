import { Kysely, PostgresDialect, sql } from 'kysely'
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
   * Whose rows statements outside `inScope` see: all of them, or none. `owner`: all of them, set once for each connection,
   * for several statements in one text; not through a pooler.
   */
  scope: 'system' | 'none' | 'owner'
  /** Connections; `max` of every process together stays under the server's max_connections. */
  max?: number
  /** ms after which the server ends a statement; 0 = never (migrations). */
  statementTimeoutMs?: number
  onError?: (error: Error) => void
  /** Is compared over each new connection, before anything else is asked over it. */
  clock?: Clock
  /** Each new connection is checked against it: no statement reaches a database of another environment. */
  environment?: Environment
}

// int8 as bigint: amounts in minor units outgrow a double.
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** A pool and the query builder over it. The caller ends it with `db.destroy()`. */
export function connect(url: string, options: DatabaseOptions): ConnectedDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 8,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    statement_timeout: options.statementTimeoutMs ?? 15_000,
    idle_in_transaction_session_timeout: 30_000,
    // The pool waits for it, whatever its types say.
    onConnect: async (client: pg.ClientBase) => {
      if (options.environment) await refuseOtherEnvironment(client, options.environment)
      await options.clock?.compare(client)
      if (options.scope === 'owner') await client.query(`select set_config('recoup.scope', 'system', false)`)
    },
  })
  // Without a listener a stopping Postgres would end this process: the pool listens to idle connections only, and one
  // in the middle of a transaction tells its query anyway.
  pool.on('error', (error) => options.onError?.(error))
  pool.on('connect', (client) => client.on('error', () => undefined))
  return over(pool, options.scope)
}

/** Another query builder over the pool of a database. */
export function over(pool: pg.Pool, scope: DatabaseOptions['scope']): ConnectedDatabase {
  const statements = scope === 'owner' ? pool : scopedPool(pool, scope === 'system' ? 'system' : null)
  return Object.assign(new Kysely<DB>({ dialect: new PostgresDialect({ pool: statements }) }), { pool })
}

/** One round trip. @throws when the database does not answer within 2 s */
export async function ping(db: Database): Promise<void> {
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error('the database is late')), 2_000).unref(),
  )
  await Promise.race([sql`select 1`.execute(db), late])
}
