import { AsyncLocalStorage } from 'node:async_hooks'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isLost, prepared, type Scope, type ScopedStatement, sendScoped } from './scoped-query.ts'

export type { Scope }

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
  /** False once a pooler has lost a prepared statement. */
  let prepares = true

  async function send(text: string, values: readonly unknown[]) {
    if (BEGINS.test(text)) inTransaction = true
    else if (ENDS.test(text)) inTransaction = false
    else if (!GOES_BACK.test(text)) {
      const scope = currentScope() ?? outside
      if (scope === null || scope === set) return client.query(text, [...values])
      if (!inTransaction) return sendAlone({ scope, text, values: [...values] })
      set = scope
      return sendScoped(client, { scope, text, values: [...values] })
    }
    set = null
    return client.query(text)
  }

  /** Outside a transaction a lost statement can be sent again: nothing of it was executed. */
  async function sendAlone(statement: ScopedStatement) {
    if (!prepares) return sendScoped(client, statement)
    try {
      return await sendScoped(client, prepared(statement))
    } catch (error) {
      if (!isLost(error)) throw error
      prepares = false
      return sendScoped(client, statement)
    }
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
