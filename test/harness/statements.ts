import type pg from 'pg'

/** Reports each statement that goes over the pool, as it was written: without what is sent along for its scope. */
export function watchStatements(pool: pg.Pool, sent: (text: string, values: unknown[]) => void): void {
  pool.on('connect', (client) => watchClient(client, sent))
}

/** The same of one connection that is open already. */
export function watchClient(client: pg.PoolClient, sent: (text: string, values: unknown[]) => void): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  client.query = ((...args: unknown[]) => {
    const [first, values] = args as [string | { text: string; values?: unknown[] }, unknown[] | undefined]
    if (typeof first === 'string') sent(first, values ?? [])
    else sent(first.text, first.values ?? [])
    return query(...args)
  }) as typeof client.query
}

/** For `explain` and the like over a connection of a test's own. */
export async function setScope(client: pg.Client, scope: 'system' | { accountId: string; merchantUuid: string }) {
  const name = scope === 'system' ? scope : `${scope.accountId} ${scope.merchantUuid}`
  await client.query(`select set_config('recoup.scope', $1, false)`, [name])
}
