import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'

/**
 * The rows that row-level security shows to a statement: all rows, one merchant's, or an account's own. A statement
 * without a scope sees none.
 */
export type Scope = 'system' | { accountId: string; merchantUuid: string | null }

const BY_KEY = '/* prepared */'
const IN_ORDER = '/* prepared in order */'
const FOR_SYSTEM = '/* prepared for the system */'
/** The kind of scope in which each mark counts. */
const KEPT_IN: Record<string, 'merchant' | 'system'> = {
  [BY_KEY]: 'merchant',
  [IN_ORDER]: 'merchant',
  [FOR_SYSTEM]: 'system',
}

/**
 * Marks a read for preparation; the last thing in its text. In a merchant's scope and outside a transaction Postgres plans
 * it once per connection. Only for reads by a key: their plan does not depend on the values.
 */
export const PREPARED = sql.raw(BY_KEY)

/**
 * The same for a page of a list that one index has in the order of the page. It is planned once for any values, and never
 * by a scan of the table or a sort: a plan that was made for an empty table stays right when the table grows.
 */
export const PREPARED_IN_ORDER = sql.raw(IN_ORDER)

/**
 * The same for a statement of polls or of the rate limit: Postgres plans it once per connection, in the system's scope only.
 * It must look rows up in a form that no plan of an empty table can turn into a scan: `lateral (… limit 1)`, `offset 0`.
 */
export const PREPARED_FOR_SYSTEM = sql.raw(FOR_SYSTEM)

export interface ScopedStatement {
  scope: Scope
  text: string
  values: unknown[]
  /** Prepare the statement that sets the scope. */
  keepsScope?: boolean
  /** Prepare the statement under this name. */
  name?: string
  /** See `PREPARED_IN_ORDER`. */
  inOrder?: boolean
}

/**
 * Chooses the statements that Postgres prepares, each in one kind of scope: a plan depends on the kind, but not on the
 * merchant (migration 0022).
 */
export function prepared(statement: ScopedStatement): ScopedStatement {
  const { scope, text } = statement
  const kind = scope === 'system' ? 'system' : scope.merchantUuid === null ? 'account' : 'merchant'
  const mark = text.slice(text.lastIndexOf('/*'))
  const isKept = KEPT_IN[mark] === kind
  const inOrder = mark === IN_ORDER
  return { ...statement, keepsScope: true, ...(isKept && { name: nameOf(text), inOrder }) }
}

/** Derived from the text, so that clients that share a connection through a pooler can't mix up statements. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `recoup_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
  names.set(text, name)
  return name
}
const names = new Map<string, string>()

/** Whether a pooler used a connection that has not prepared the statement, or has prepared it for another client. */
export const isLost = (error: unknown): boolean => LOST.has((error as { code?: string }).code ?? '')
/** invalid_sql_statement_name, duplicate_prepared_statement */
const LOST: ReadonlySet<string> = new Set(['26000', '42P05'])

const SET_SCOPE = `select set_config('recoup.scope', $1, true)`
/** Set until the end of the transaction, as the scope is. Without the first, Postgres would plan each page anew. */
const ORDERLY = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
}
const SET_SCOPE_IN_ORDER = [
  SET_SCOPE,
  ...Object.entries(ORDERLY).map(([name, value]) => `set_config('${name}', '${value}', true)`),
].join(', ')
/** In the form that the policies read. */
const inWords = (scope: Scope) =>
  scope === 'system' ? scope : [scope.accountId, scope.merchantUuid].filter(Boolean).join(' ')

/** Connections that have prepared the statement that sets the scope. */
const keepers = { [SET_SCOPE]: new WeakSet<object>(), [SET_SCOPE_IN_ORDER]: new WeakSet<object>() }

/** Methods that `pg` calls on a query; its types omit them. */
interface Extended {
  prepare(connection: Sending): void
  handleDataRow(message: object): void
  handleCommandComplete(message: object, connection: Sending): void
}
interface Sending {
  parse(statement: { name?: string; text: string }): void
  bind(portal: { statement?: string; values: string[] }): void
  execute(portal: object): void
}

/**
 * Sends scope and statement together, with one Sync after both. Outside a transaction the two are one implicit
 * transaction, so the scope costs no round trip and no begin and commit.
 */
export function sendScoped(client: pg.PoolClient, statement: ScopedStatement): Promise<pg.QueryResult> {
  const { scope, keepsScope, inOrder, ...config } = statement
  const setScope = inOrder ? SET_SCOPE_IN_ORDER : SET_SCOPE
  const name = keepsScope ? nameOf(setScope) : undefined
  const kept = keepers[setScope] as WeakSet<object>
  return new Promise((resolve, reject) => {
    const sent = new pg.Query({ ...config, queryMode: 'extended' } as pg.QueryConfig, (error, result) =>
      error ? reject(error) : resolve(result as unknown as pg.QueryResult),
    )
    const plain = sent as unknown as Extended
    const { prepare, handleDataRow, handleCommandComplete } = plain
    let scopeIsSet = false
    const scoped: Extended = {
      prepare(connection) {
        if (!name || !kept.has(connection)) connection.parse({ text: setScope, ...(name && { name }) })
        connection.bind({ values: [inWords(scope)], ...(name && { statement: name }) })
        connection.execute({})
        prepare.call(sent, connection)
      },
      handleDataRow(message) {
        if (scopeIsSet) handleDataRow.call(sent, message)
      },
      handleCommandComplete(message, connection) {
        if (scopeIsSet) handleCommandComplete.call(sent, message, connection)
        else if (name) kept.add(connection)
        scopeIsSet = true
      },
    }
    client.query(Object.assign(sent, scoped))
  })
}
