import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'

/**
 * The rows that row-level security shows to a statement: all rows, one merchant's, or an account's own. A statement
 * without a scope sees none.
 */
export type Scope = 'system' | { accountId: string; merchantUuid: string | null }

const current = new AsyncLocalStorage<Scope>()

export const currentScope = (): Scope | undefined => current.getStore()

/** Runs `work` so that all its statements, through any number of calls, are sent in that scope. */
export const inScope = <T>(scope: Scope, work: () => T): T => current.run(scope, work)

/**
 * A pool that sends the scope with each statement. The scope ends with the statement's transaction, so poolers keep
 * none.
 */
export function scopedPool(pool: pg.Pool, outside: Scope | null): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      const client = await pool.connect()
      const known = clients.get(client) ?? scopedClient(client, outside)
      clients.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

const BEGINS = /^(begin|start transaction)\b/
const ENDS = /^(commit|rollback)$/
/** Undoes settings made after the savepoint. */
const GOES_BACK = /^rollback to\b/

function scopedClient(client: pg.PoolClient, outside: Scope | null): PostgresPoolClient {
  let inTransaction = false
  /** Scope that is set in the open transaction. */
  let set: Scope | null = null

  async function send(text: string, values: readonly unknown[]) {
    if (BEGINS.test(text)) inTransaction = true
    else if (ENDS.test(text)) inTransaction = false
    else if (!GOES_BACK.test(text)) {
      const scope = currentScope() ?? outside
      if (scope === null || scope === set) return client.query(text, [...values])
      if (inTransaction) set = scope
      return query(client, scope, text, [...values])
    }
    set = null
    return client.query(text)
  }

  return {
    query: send as unknown as PostgresPoolClient['query'],
    release() {
      inTransaction = false
      set = null
      client.release()
    },
  }
}

const SET_SCOPE = `select set_config('recoup.scope', $1, true)`
/** In the form that the functions of migration 0020 read. */
const nameOf = (scope: Scope) =>
  scope === 'system' ? scope : [scope.accountId, scope.merchantUuid].filter(Boolean).join(' ')

/** Methods that `pg` calls on a query; its types omit them. */
interface Extended {
  prepare(connection: Sending): void
  handleDataRow(message: object): void
  handleCommandComplete(message: object, connection: Sending): void
}
interface Sending {
  parse(statement: { text: string }): void
  bind(portal: { values: string[] }): void
  execute(portal: object): void
}

/**
 * Sends scope and statement together, with one Sync after both. Outside a transaction the two are one implicit
 * transaction, so the scope costs no round trip and no begin and commit.
 */
function query(client: pg.PoolClient, scope: Scope, text: string, values: unknown[]): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const sent = new pg.Query({ text, values, queryMode: 'extended' } as pg.QueryConfig, (error, result) =>
      error ? reject(error) : resolve(result as unknown as pg.QueryResult),
    )
    const plain = sent as unknown as Extended
    const { prepare, handleDataRow, handleCommandComplete } = plain
    let scopeIsSet = false
    const scoped: Extended = {
      prepare(connection) {
        connection.parse({ text: SET_SCOPE })
        connection.bind({ values: [nameOf(scope)] })
        connection.execute({})
        prepare.call(sent, connection)
      },
      handleDataRow(message) {
        if (scopeIsSet) handleDataRow.call(sent, message)
      },
      handleCommandComplete(message, connection) {
        if (scopeIsSet) handleCommandComplete.call(sent, message, connection)
        scopeIsSet = true
      },
    }
    client.query(Object.assign(sent, scoped))
  })
}
