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
  /** Begins the transaction; sent together with its first statement, which saves a round trip. */
  let begin: string | null = null

  async function send(text: string, values: readonly unknown[]) {
    if (BEGINS.test(text)) {
      inTransaction = true
      set = null
      begin = text
      return NOTHING_SENT
    }
    if (ENDS.test(text)) {
      inTransaction = false
      set = null
      const empty = begin !== null
      begin = null
      return empty ? NOTHING_SENT : client.query(text)
    }
    const first = begin === null ? [] : [{ text: begin, values: [] }]
    begin = null
    if (GOES_BACK.test(text)) {
      set = null
      return client.query(text)
    }
    const scope = currentScope() ?? outside
    const same = scope === null || scope === set
    if (inTransaction && !same) set = scope
    const before = same ? first : [...first, { text: SET_SCOPE, values: [nameOf(scope)] }]
    return before.length === 0 ? client.query(text, [...values]) : query(client, before, text, [...values])
  }

  return {
    query: send as unknown as PostgresPoolClient['query'],
    release() {
      inTransaction = false
      set = null
      begin = null
      client.release()
    },
  }
}

const NOTHING_SENT = { command: 'BEGIN', rowCount: null, rows: [] }
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
 * Sends several statements and their main one together, with one Sync after all. Outside a transaction they are one
 * implicit transaction, so the scope costs no round trip and no begin and commit.
 */
function query(
  client: pg.PoolClient,
  before: readonly { text: string; values: string[] }[],
  text: string,
  values: unknown[],
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const sent = new pg.Query({ text, values, queryMode: 'extended' } as pg.QueryConfig, (error, result) =>
      error ? reject(error) : resolve(result as unknown as pg.QueryResult),
    )
    const plain = sent as unknown as Extended
    const { prepare, handleDataRow, handleCommandComplete } = plain
    let completed = 0
    const scoped: Extended = {
      prepare(connection) {
        for (const { text, values } of before) {
          connection.parse({ text })
          connection.bind({ values })
          connection.execute({})
        }
        prepare.call(sent, connection)
      },
      handleDataRow(message) {
        if (completed === before.length) handleDataRow.call(sent, message)
      },
      handleCommandComplete(message, connection) {
        if (completed === before.length) handleCommandComplete.call(sent, message, connection)
        else completed++
      },
    }
    client.query(Object.assign(sent, scoped))
  })
}
