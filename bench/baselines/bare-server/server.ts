import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { columnOf, jsonName, SHOWN } from '../../../db/chargebacks/column-sql.ts'
import { serveOrders } from '../../runner/child.ts'

/**
 * The baseline of lists: node:http, pg and JSON.stringify, as most services are made, with the columns and the order of
 * Recoup's list and nothing else.
 */
const FIELDS = SHOWN.map((name) => `${columnOf(name).column} as "${jsonName(name)}"`).join(', ')
const LIST = `select ${FIELDS} from chargeback where merchant_uuid = $1 and status = $2 and merged_into is null
  order by posting_sort desc, id desc limit $3`
const CONNECTIONS = 8

pg.types.setTypeParser(pg.types.builtins.INT8, Number)

await serveOrders(async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
  pool.on('error', () => undefined)
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '/', 'http://bare').searchParams
    const limit = Number(query.get('limit'))
    const { rows } = await pool.query(LIST, [query.get('merchant'), query.get('status'), limit + 1])
    const body = JSON.stringify({ data: rows.slice(0, limit), hasMore: rows.length > limit })
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
