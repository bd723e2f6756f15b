import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Pass } from '../../peers/contender.ts'
import { clusterTime } from '../../runner/clocks.ts'

/** Four indexes and the raw object, as Recoup has them at least. */
const table = (compression: string) => `
  create table copied (
    id uuid primary key, integration_id uuid not null, psp_reference text not null, merchant_uuid uuid not null,
    status text not null, posting_sort timestamptz not null, amount_minor bigint not null, currency text not null,
    content_hash bytea not null, raw text compression ${compression} not null, unique (integration_id, psp_reference));
  create index on copied (merchant_uuid, posting_sort desc, id desc);
  create index on copied (merchant_uuid, status, posting_sort desc, id desc)`

/** The limit: the same disputes by COPY, from a file that the system keeps in memory. */
export interface CopyBaseline {
  name: string
  load(databaseUrl: string, postmaster: number | null): Promise<Pass>
  [Symbol.asyncDispose](): Promise<void>
}

/** Reads all disputes from the PSP once, and keeps them as COPY wants them. */
export async function openCopy(pspUrl: string, key: string, serverUrl: string): Promise<CopyBaseline> {
  const compression = await bestCompression(serverUrl)
  const rows = await readRows(pspUrl, key)
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-copy-'))
  // Postgres reads it as its own user.
  chmodSync(folder, 0o755)
  const file = join(folder, 'rows.txt')
  writeFileSync(file, rows.join(''), { mode: 0o644 })
  return {
    name: `COPY from memory, raw objects as text ${compression}`,
    async load(databaseUrl, postmaster) {
      const client = new pg.Client(databaseUrl)
      await client.connect()
      try {
        await client.query(table(compression))
        await client.query('checkpoint')
        const started = performance.now()
        const { postgresCpuMs } = await clusterTime(postmaster, () => client.query(`copy copied from '${file}'`))
        return { rows: rows.length, wallMs: performance.now() - started, cpuMs: 0, postgresCpuMs, rssMb: 0 }
      } finally {
        await client.end()
      }
    },
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** lz4 is what Recoup would use; the embedded Postgres is built without it. */
async function bestCompression(serverUrl: string): Promise<string> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  const sql = `select 'lz4' = any(enumvals) as found from pg_settings where name = 'default_toast_compression'`
  const { rows } = await client.query<{ found: boolean }>(sql).finally(() => client.end())
  return rows[0]?.found ? 'lz4' : 'pglz'
}

interface Dispute {
  id: string
  status: string
  created: number
  amount: number
  currency: string
}

async function readRows(pspUrl: string, key: string): Promise<string[]> {
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const rows: string[] = []
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ limit: '100', ...(after && { starting_after: after }) })
    const response = await fetch(`${pspUrl}/v1/disputes?${query}`, { headers: { authorization: `Bearer ${key}` } })
    const page = (await response.json()) as { data: Dispute[]; has_more: boolean }
    for (const dispute of page.data) {
      const { id, status, created, amount, currency } = dispute
      const posted = new Date(created * 1000).toISOString()
      const hash = `\\\\x${String(rows.length).padStart(64, '0')}`
      const raw = JSON.stringify(dispute).replaceAll('\\', '\\\\')
      const fields = [uuid(rows.length), uuid(1), id, uuid(2), status, posted, amount, currency, hash, raw]
      rows.push(`${fields.join('\t')}\n`)
    }
    after = page.data.at(-1)?.id ?? ''
    if (!page.has_more) return rows
  }
}
