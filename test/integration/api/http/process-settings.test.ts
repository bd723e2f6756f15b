import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietPorts } from '../../../../process/ports.ts'
import { type Child, startChild } from '../../../harness/child.ts'
import { createDatabase, type TestDatabase } from '../../../harness/database.ts'
import { until } from '../../../harness/until.ts'

/** Only a real process shows whether it applies its variables. */
describe('an API process with two ports, a trusted proxy and a key command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-process-'))
  const [keys, calls] = [join(folder, 'keys'), join(folder, 'calls')]
  let database: TestDatabase
  let child: Child
  let [url, operatorsUrl] = ['', '']
  beforeAll(async () => {
    database = await createDatabase()
    writeFileSync(keys, `k1:${randomBytes(32).toString('base64')}`)
    const [port = 0, metrics = 0] = await quietPorts(2)
    child = startChild('api/main.ts', {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      RECOUP_API_PORT: String(port),
      RECOUP_API_METRICS_PORT: String(metrics),
      RECOUP_ENCRYPTION_KEYS_COMMAND: `echo called >> ${calls}; cat ${keys}`,
      RECOUP_TRUSTED_PROXIES: '127.0.0.1',
      RECOUP_STRANGER_LIMIT_PER_MINUTE: '2',
      RECOUP_CONNECTIONS_PER_ADDRESS: '1',
    })
    ;[url, operatorsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${metrics}`]
    await until('it is ready', async () => (await fetch(`${operatorsUrl}/ready`)).ok, { timeoutMs: 90_000 })
  })
  afterAll(async () => {
    await child.stop()
    await database[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const status = async (address: string, client?: string) => {
    const response = await fetch(address, client === undefined ? {} : { headers: { 'x-forwarded-for': client } })
    await response.arrayBuffer()
    return response.status
  }

  it('finding 6: has /metrics on the operators’ port and not on the public one', async () => {
    expect(await status(`${operatorsUrl}/metrics`)).toBe(200)
    expect(await status(`${url}/metrics`, '198.51.100.9')).toBe(404)
  })

  it('limits unauthenticated clients, not a trusted proxy, by address', async () => {
    const statuses = []
    for (const client of ['198.51.100.1', '198.51.100.1', '198.51.100.1', '198.51.100.2'])
      statuses.push(await status(`${url}/docs`, client))
    expect(statuses).toEqual([200, 200, 429, 200])
    const together = ['198.51.100.3', '198.51.100.4', '198.51.100.5'].map((client) => status(`${url}/docs`, client))
    expect(await Promise.all(together)).toEqual([200, 200, 200])
  })

  it('runs the key command once, at its start', () => {
    expect(readFileSync(calls, 'utf8')).toBe('called\n')
  })
})
