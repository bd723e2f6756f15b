import pg from 'pg'
import { openArena } from './ours/arena.ts'
import { onFreshDatabase } from './peers/contender.ts'
import type { Context } from './runner/context.ts'

export async function run(context: Context): Promise<void> {
  const count = context.size(20_000, 2_000)
  await using arena = await openArena(context, { count, peers: () => false })
  const { databases, recoup, otherSide } = arena
  await onFreshDatabase(databases, recoup, async ({ sync }, url) => {
    const client = new pg.Client(url)
    await client.connect()
    const ask = async (sql: string) => Number((await client.query<{ n: string }>(`select ${sql} as n`)).rows[0]?.n)
    const size = () => ask('pg_database_size(current_database())')
    const wal = () => ask(`pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`)
    try {
      const empty = await size()
      const { rows } = await sync()
      const { bytes } = await otherSide.counters()
      const grown = (await size()) - empty
      const before = await wal()
      await sync()
      const written = (await wal()) - before
      context.metric({
        ...{ name: 'growth.bytes', unit: 'bytes/dispute', clock: 'count', ours: [grown / rows] },
        anchor: { name: 'raw bytes', values: [bytes / rows] },
      })
      context.metric({
        name: 'growth.wal',
        unit: 'bytes/dispute',
        clock: 'count',
        ours: [written / rows],
        anchor: null,
      })
    } finally {
      await client.end()
    }
  })
}
