import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { type ConnectedDatabase, over } from '../../../../db/core/connect.ts'
import { currentScope, scopedPool } from '../../../../db/core/scope.ts'
import type { DB } from '../../../../db/schema.ts'

/** What isolates tenants in a run of the tenancy suite. */
export interface IsolationLayers {
  /** Conditions on merchant and account in the statements. */
  filters: boolean
  /** Row-level security. */
  policies: boolean
}

/** Filters removed from statements so far. */
export const removed = { filters: 0 }

/** The application's database, or one that removes tenant filters from the statements. */
export const withLayers = (pool: pg.Pool, filters: boolean): ConnectedDatabase =>
  filters ? over(pool, 'none') : withoutFilters(pool)

function withoutFilters(pool: pg.Pool): ConnectedDatabase {
  const scoped = scopedPool(pool, null)
  const dialect = new PostgresDialect({
    pool: {
      async connect() {
        const client = await scoped.connect()
        const query = (text: string, values: readonly unknown[]) => client.query(unfiltered(text), values)
        return { query: query as PostgresPoolClient['query'], release: () => client.release() }
      },
      end: () => scoped.end(),
    },
  })
  return Object.assign(new Kysely<DB>({ dialect }), { pool })
}

/** `merchant_uuid = $1` and the like, with or without the table before it. */
const BY_MERCHANT = /(?:"?\w+"?\.)?"?\b(?:merchant_uuid|account_id)\b"? = (\$\d+)/g
/** Within an account, `merchant_uuid` selects a merchant and is no tenant filter. */
const BY_ACCOUNT = /(?:"?\w+"?\.)?"?\baccount_id\b"? = (\$\d+)/g

function unfiltered(text: string): string {
  const scope = currentScope()
  if (!scope || scope === 'system') return text
  return text.replace(scope.merchantUuid ? BY_MERCHANT : BY_ACCOUNT, (_filter, parameter) => {
    removed.filters++
    return `${parameter}::uuid is not null`
  })
}
