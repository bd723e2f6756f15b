import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connect } from '../../../../db/core/connect.ts'
import type { Stage } from '../stage.ts'
import { addChargeback, type Place, stageWithIntegration } from './chargeback-rows.ts'
import { parseCsv } from './csv.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  for (let n = 0; n < 12; n++)
    await addChargeback(stage.db, at, {
      chargeback_id: `du_${n}`,
      posting_date: n === 11 ? null : new Date(Date.UTC(2026, 0, 1 + n)),
      psp: n % 2 === 0 ? 'stripe' : 'paypal',
      reason: n === 3 ? '=HYPERLINK("https://evil.example")' : n === 4 ? 'a "quoted", text\nof two lines' : 'fraud',
    })
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = (query = '', headers = {}) => stage.call('GET', `/v1/chargebacks/export?${query}`, { headers })

describe('GET /chargebacks/export', () => {
  it('as NDJSON has the same objects as the list, in its order', async () => {
    const listed = await stage.call('GET', '/v1/chargebacks?limit=100')
    const { text, headers } = await read('format=ndjson')
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    expect(headers.get('content-disposition')).toBe('attachment; filename="chargebacks.ndjson"')
    expect(text.endsWith('}\n')).toBe(true)
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(listed.body.data)
  })

  it('as CSV has a head with the names and a row for each, absent values empty', async () => {
    const { text, headers } = await read()
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head = [], ...rows] = parseCsv(text)
    const listed = await stage.call('GET', '/v1/chargebacks?limit=100')
    expect(rows).toHaveLength(12)
    for (const [index, row] of rows.entries()) {
      const chargeback = listed.body.data[index]
      for (const [column, name] of head.entries())
        expect(row[column], name).toBe(
          name === 'reason' && chargeback.chargebackId === 'du_3'
            ? `'=HYPERLINK("https://evil.example")`
            : String(chargeback[name] ?? ''),
        )
    }
    expect(new Set(head)).toEqual(new Set([...head, ...listed.body.data.flatMap(Object.keys)]))
  })

  it('takes the filters and sorts of the list', async () => {
    const ids = async (query: string) =>
      (await read(`format=ndjson&${query}`)).text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).chargebackId)
    expect(await ids('psp=paypal&sort=postingDate')).toEqual(['du_11', 'du_1', 'du_3', 'du_5', 'du_7', 'du_9'])
    expect(await ids('search=du_7')).toEqual(['du_7'])
    expect(await ids('psp=adyen')).toEqual([])
    expect(parseCsv((await read('psp=adyen')).text)).toHaveLength(1)
  })

  it('chooses the format by Accept, which format overrides', async () => {
    const type = async (query: string, accept: string) => (await read(query, { accept })).headers.get('content-type')
    expect(await type('', 'application/x-ndjson')).toBe('application/x-ndjson')
    expect(await type('', 'text/csv;q=0.1, application/x-ndjson')).toBe('application/x-ndjson')
    expect(await type('', '*/*')).toBe('text/csv; charset=utf-8')
    expect(await type('format=csv', 'application/x-ndjson')).toBe('text/csv; charset=utf-8')
  })

  it('is compressed for clients that accept it', async () => {
    const response = await stage.app.request('/v1/chargebacks/export', {
      headers: { authorization: `Bearer ${stage.token}`, 'accept-encoding': 'gzip' },
    })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const plain = response.body?.pipeThrough(new DecompressionStream('gzip') as never) as unknown as ReadableStream
    expect(await new Response(plain).text()).toBe((await read()).text)
  })

  it.each([
    ['format=xml', 'format'],
    ['limit=10', 'limit'],
    ['cursor=x', 'cursor'],
    ['sort=amount', 'sort'],
    ['minAmount=1', 'minAmount'],
    ['dueAfter=2026-01-02T00:00:00Z&dueBefore=2026-01-01T00:00:00Z', 'dueAfter'],
  ])('%s is refused', async (query, field) => {
    const { status, body } = await read(query)
    expect(status).toBe(400)
    expect(body.message).toMatch(new RegExp(`^${field}: `))
  })

  it('holds no data of persons that clients sent, whatever the role of the credential', async () => {
    const { accountId, merchantUuid } = stage
    const [{ id }] = (await stage.call('GET', '/v1/chargebacks?limit=10')).body.data
    const points = { transactionOrderEmail: 'jane@planted.example', transactionOrderIpAddress: '203.0.113.77' }
    expect((await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: points })).status).toBe(201)
    for (const role of ['read', 'work', 'manage'] as const) {
      const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid, role })
      for (const format of ['csv', 'ndjson']) {
        const { status, text } = await stage.call('GET', `/v1/chargebacks/export?format=${format}`, { token })
        expect([status, text.includes(id)]).toEqual([200, true])
        for (const value of Object.values(points)) expect(text).not.toContain(value)
      }
    }
  })

  it('has nothing of another merchant', async () => {
    const { accountId } = stage
    const { merchantUuid } = await stage.newMerchant(accountId, 'other-shop')
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid })
    expect((await stage.call('GET', '/v1/chargebacks/export?format=ndjson', { token })).text).toBe('')
  })
})

describe('an export of several batches', () => {
  const ROWS = 1_712
  let db: ReturnType<typeof connect>
  let app: ReturnType<Stage['secondApp']>
  let token: string
  beforeAll(async () => {
    const { accountId } = stage
    const { merchantUuid } = await stage.newMerchant(accountId, 'large-shop')
    token = (await stage.issue({ accountId, scope: 'merchant', merchantUuid })).token
    const place = { merchantUuid, integrationId: at.integrationId }
    for (let n = 0; n < ROWS; n += 100)
      await Promise.all(
        Array.from({ length: Math.min(100, ROWS - n) }, (_, m) =>
          addChargeback(stage.db, place, { chargeback_id: `large_${n + m}` }),
        ),
      )
    db = connect(stage.database.url, { scope: 'none', max: 1 })
    app = stage.secondApp({ db })
  })
  afterAll(() => db.destroy())

  const open = async () => {
    const response = await app.request('/v1/chargebacks/export?format=ndjson', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    return (response.body as ReadableStream<Uint8Array>).getReader()
  }
  const lines = (chunk: Uint8Array | undefined) => new TextDecoder().decode(chunk).split('\n').length - 1
  const ends = () => stage.lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('export '))

  it('has each chargeback once', async () => {
    const reader = await open()
    const ids: string[] = []
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      for (const line of new TextDecoder().decode(chunk.value).trimEnd().split('\n')) ids.push(JSON.parse(line).id)
    expect(ids).toHaveLength(ROWS)
    expect(new Set(ids).size).toBe(ROWS)
    expect(ends().at(-1)).toMatchObject({ rows: ROWS, msg: 'export completed' })
  })

  it('reads a batch when the client has taken the one before, and holds no connection in between', async () => {
    const reader = await open()
    const query = vi.spyOn(db.pool, 'connect')
    expect(lines((await reader.read()).value)).toBe(500)
    // The pool's only connection is free, and nothing was read in advance.
    expect(query).toHaveBeenCalledTimes(0)
    expect(db.pool.idleCount).toBe(1)
    expect((await app.request('/v1/chargebacks', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
    expect(lines((await reader.read()).value)).toBe(500)
    expect(db.pool.idleCount).toBe(1)
    await reader.cancel()
    query.mockRestore()
  })

  it('stops when the client leaves', async () => {
    const reader = await open()
    await reader.read()
    await reader.cancel()
    expect(ends().at(-1)).toMatchObject({ rows: 500, msg: 'export abandoned' })
  })

  it('breaks off when the database fails, and says so in the log', async () => {
    const reader = await open()
    await reader.read()
    const failing = vi.spyOn(db.pool, 'connect').mockImplementation(() => Promise.reject(new Error('gone')))
    await expect(reader.read()).rejects.toThrow('gone')
    failing.mockRestore()
    expect(ends().at(-1)).toMatchObject({ rows: 500, msg: 'export failed' })
  })
})
