import type { connect } from './connect.ts'

interface CountQuery {
  name?: string
  text: string
  values?: unknown[]
}

/**
 * The connection as the rate limiter wants it. Its arithmetic needs plain numbers, while this pool reads int8 as
 * bigint. Statements stay unnamed so that they also work behind a pooler.
 */
export function requestCountClient(db: ReturnType<typeof connect>) {
  return {
    async query({ text, values }: CountQuery) {
      const result = await db.pool.query(text, values)
      const rows = result.rows.map((row) => ({ ...row, expire: row.expire === null ? null : Number(row.expire) }))
      return { rows, rowCount: result.rowCount }
    },
  }
}
