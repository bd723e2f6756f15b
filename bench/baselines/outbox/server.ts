import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { ANSWERABLE } from '../../../adapters/stripe/vocabulary.ts'
import { serveOrders } from '../../runner/child.ts'

/**
 * The baseline of acceptances: the same three steps at the PSP (read, close, read again) as plain functions over an outbox
 * in Postgres, without workflows, tenancy, ledger of calls or rate limit.
 */
const TABLES = `
  create table acceptance (id text primary key, reference text not null, key text not null, status text not null default 'created');
  create table outbox (id bigint generated always as identity primary key, acceptance_id text not null,
    claimed_until timestamptz not null default now())`
const CONNECTIONS = 12
const WORKERS = 50
const PAUSE_MS = 50

async function acceptAt(pspUrl: string, { reference, key }: { reference: string; key: string }): Promise<void> {
  const call = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${pspUrl}/v1/disputes/${reference}${path}`, { method, headers })
    return (await response.json()) as { status: string }
  }
  const { status } = await call('GET', '')
  if (!ANSWERABLE.includes(status)) throw new Error(`a dispute can't be accepted: ${status}`)
  await call('POST', '/close')
  if ((await call('GET', '')).status !== 'lost') throw new Error('the PSP does not show it')
}

await serveOrders(async ({ databaseUrl, pspUrl }: { databaseUrl: string; pspUrl: string }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  pool.on('error', () => undefined)
  await pool.query(TABLES)
  const work = async (): Promise<void> => {
    for (;;) {
      const { rows } = await pool.query(`
        with claimed as (
          update outbox set claimed_until = now() + interval '15 seconds' where id = (
            select id from outbox where claimed_until <= now() order by id limit 1 for update skip locked)
          returning acceptance_id
        )
        select a.* from acceptance a join claimed on claimed.acceptance_id = a.id`)
      if (!rows[0]) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        continue
      }
      await acceptAt(pspUrl, rows[0])
      await pool.query(
        `with done as (delete from outbox where acceptance_id = $1 returning acceptance_id)
         update acceptance set status = 'succeeded' where id in (select acceptance_id from done)`,
        [rows[0].id],
      )
    }
  }
  const failed = (error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
  for (let n = 0; n < WORKERS; n++) work().catch(failed)
  const server = createServer(async (request, response) => {
    const [id, reference, key] = (request.url ?? '').slice(1).split('/')
    await pool.query(
      `with made as (insert into acceptance (id, reference, key) values ($1, $2, $3) returning id)
       insert into outbox (acceptance_id) select id from made`,
      [id, reference, key],
    )
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
