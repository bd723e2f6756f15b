import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresOwner } from '../../../local/postgres-files.ts'
import { quietPorts } from '../../../process/ports.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'
import { acceptanceEnd, chargebackOf, createDispute, pollNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

const version = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout
const missing = version ? '' : ' (skipped: this machine has no pgbouncer)'

let folder: string
let pooler: ChildProcess
let database: TestDatabase
let stack: Stack
let log = ''

/** Configured as in docs/operating.md, with fewer connections than API and worker use together. */
async function startPooler(target: URL): Promise<string> {
  const [port = 0] = await quietPorts(1)
  folder = mkdtempSync(join(tmpdir(), 'recoup-pgbouncer-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'users'), `"${target.username}" "${target.password}"\n`)
  writeFileSync(
    join(folder, 'ini'),
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 4
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
`,
  )
  const owner = postgresOwner()
  pooler = spawn('pgbouncer', [join(folder, 'ini')], { stdio: ['ignore', 'pipe', 'pipe'], ...owner })
  for (const stream of [pooler.stdout, pooler.stderr]) stream?.on('data', (chunk) => (log += chunk))
  await until('PgBouncer listens', () => /process up/.test(log))
  return Object.assign(new URL(target), { port: String(port) }).href
}

describe.skipIf(missing)(`API and worker through PgBouncer in transaction mode${missing}`, { retry: 0 }, () => {
  beforeAll(async () => {
    database = await createDatabase()
    const through = await startPooler(new URL(database.url))
    stack = await startStack({ databaseUrl: database.url, env: { DATABASE_URL: through }, apis: 2 })
  })
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
    pooler?.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  test('an acceptance succeeds, and reads over shared connections show each merchant its own', async () => {
    const integrationId = await stack.connectStripe()
    const ref = await createDispute(stack, { stage: 'chargeback' })
    await pollNow(stack, integrationId)
    const { id } = await chargebackOf(stack, ref)
    expect((await stack.call('POST', `/chargebacks/${id}/accept`, {})).status).toBe(200)
    await acceptanceEnd(stack, id as string)
    const other = { merchantName: 'Other', websiteUrl: 'https://other.example.com', referenceId: 'other' }
    const who = { email: 'o@example.com', firstName: 'O', lastName: 'O' }
    const { body } = await stack.call('POST', '/merchants', { ...other, ...who })
    const status = async (merchantUuid: string, path: string) =>
      (await stack.call('GET', `/chargebacks/${id}${path}`, undefined, { 'reference-account-id': merchantUuid })).status
    const reads = Array.from({ length: 120 }, async (_, n) => {
      const path = n % 2 ? '' : '/accept'
      expect(await status(stack.merchantUuid, path)).toBe(200)
      expect(await status(body.merchantUuid, path)).toBe(404)
    })
    await Promise.all(reads)
    expect(log).toMatch(/process up/)
  })
})
