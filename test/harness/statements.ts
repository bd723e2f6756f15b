import type pg from 'pg'

/** Reports each statement of the pool as it was written, without the part that sets its scope. */
export function watchStatements(pool: pg.Pool, sent: (text: string, values: unknown[]) => void): void {
  pool.on('connect', (client) => watchClient(client, sent))
}

/** The same for one open connection. */
export function watchClient(client: pg.PoolClient, sent: (text: string, values: unknown[]) => void): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [first, values] = args as [string | { text: string; values?: unknown[] }, unknown[] | undefined]
    if (typeof first === 'string') sent(first, values ?? [])
    else sent(first.text, first.values ?? [])
    return query(...args)
  }) as typeof client.query
}

/** Sets the scope of a test's own connection, for `explain` and the like. */
export async function setScope(client: pg.Client, scope: 'system' | { accountId: string; merchantUuid: string }) {
  const name = scope === 'system' ? scope : `${scope.accountId} ${scope.merchantUuid}`
  await client.query(`select set_config('recoup.scope', $1, false)`, [name])
}
