import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../../db/core/connect.ts'
import { readKeyRing } from '../../../../db/core/seal.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { issueCredential } from '../../../../db/merchants/credentials.ts'
import { createMerchant } from '../../../../db/merchants/merchants.ts'
import { createDatabase, type TestDatabase } from '../../../harness/database.ts'
import { argumentsFor } from '../../../harness/installation/built.ts'
import { addChargeback, addIntegration } from '../chargebacks/chargeback-rows.ts'

/**
 * Starts the real process, with Temporal unavailable. `endsAfter` sends it a signal, and checks that it ends within 5 s and
 * that each line of its log is JSON.
 */
async function startApi(env: Record<string, string>) {
  const child = spawn(process.execPath, argumentsFor('api/main.ts'), {
    env: {
      ...process.env,
      RECOUP_API_PORT: '0',
      RECOUP_API_METRICS_PORT: '0',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      RECOUP_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const port = () => lines(output).find((line) => line.msg === 'listening').port
  return {
    child,
    ended,
    output: () => output,
    async url() {
      await expect.poll(() => output, { timeout: 45_000 }).toContain('listening')
      return `http://127.0.0.1:${port()}`
    },
    async endsAfter(signal: 'SIGTERM' | 'SIGINT') {
      const from = Date.now()
      child.kill(signal)
      expect(await ended).toBe(0)
      expect(Date.now() - from).toBeLessThan(5_000)
      expect(lines(output).at(-1)).toMatchObject({ msg: 'stopped', signal })
    },
  }
}
const lines = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** An account with one merchant and its token. */
async function oneShop(url: string) {
  const keys = `k1:${randomBytes(32).toString('base64')}`
  const db = connect(url, { scope: 'system' })
  const ring = readKeyRing(keys)
  const { accountId } = await createAccount(db, { name: 'Acme' })
  const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
  const shop = { accountId, merchantName: 'Shop', websiteUrl: 'https://example.com', contact }
  const { merchantUuid } = await createMerchant(db, ring, shop)
  const { token } = await issueCredential(db, ring, { accountId, scope: 'account', environment: 'sandbox' })
  return { db, keys, ring, merchantUuid, token }
}

describe('two API processes of one database', () => {
  let shop: Awaited<ReturnType<typeof oneShop>>
  let database: TestDatabase
  const processes: Awaited<ReturnType<typeof startApi>>[] = []
  beforeAll(async () => {
    database = await createDatabase()
    shop = await oneShop(database.url)
    const keys = { DATABASE_URL: database.url, RECOUP_ENCRYPTION_KEYS: shop.keys }
    for (let n = 0; n < 2; n++) processes.push(await startApi({ ...keys, RECOUP_RATE_LIMIT_PER_MINUTE: '5' }))
  })
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGKILL')
    await shop.db.destroy()
    await database[Symbol.asyncDispose]()
  })

  it('share its rate limit exactly', async () => {
    const urls = await Promise.all(processes.map(({ url }) => url()))
    const headers = { authorization: `Bearer ${shop.token}` }
    const responses = []
    for (let n = 0; n < 7; n++) responses.push(await fetch(`${urls[n % 2]}/v1/chargebacks`, { headers }))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(responses.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual([...'4321000'])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'print structured lines only, and exit within 5 s after %s',
    async (signal) => {
      await processes[signal === 'SIGTERM' ? 0 : 1]?.endsAfter(signal)
    },
  )
})

describe('the API process', () => {
  it('responds to commands without waiting for Temporal, and keeps them for the relay', async () => {
    await using database = await createDatabase()
    const { db, keys, ring, merchantUuid, token } = await oneShop(database.url)
    const at = { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) }
    const id = await addChargeback(db, at)
    const api = await startApi({ DATABASE_URL: database.url, RECOUP_ENCRYPTION_KEYS: keys })
    const url = await api.url()

    const started = Date.now()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/v1/chargebacks/${id}/accept`, { method: 'POST', headers })
    expect(response.status).toBe(200)
    // Waiting for Temporal would take 17 s. `torture -- recovery` measures the aim of 3 s.
    expect(Date.now() - started).toBeLessThan(12_000)
    const messages = await db.selectFrom('outbox').select('kind').where('kind', '=', 'accept_chargeback').execute()
    expect(messages).toHaveLength(1)
    await api.endsAfter('SIGTERM')
    await db.destroy()
  })

  it('refuses to start with a PSP address in production, and names the variable', async () => {
    const { ended, output } = await startApi({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      RECOUP_ENVIRONMENT: 'production',
      STRIPE_API_URL: 'http://127.0.0.1:1',
    })
    expect(await ended).toBe(1)
    expect(lines(output())).toMatchObject([{ level: 'fatal', reason: expect.stringContaining('STRIPE_API_URL') }])
  })

  it('names every missing or invalid variable', async () => {
    const { ended, output } = await startApi({ DATABASE_URL: '', RECOUP_ENCRYPTION_KEYS: 'x', RECOUP_API_PORT: 'http' })
    expect(await ended).toBe(1)
    const [{ reason }] = lines(output())
    for (const name of ['DATABASE_URL', 'RECOUP_ENCRYPTION_KEYS', 'RECOUP_API_PORT']) expect(reason).toContain(name)
  })

  it('names the port that is in use', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))
    const { port } = squatter.address() as { port: number }
    const { ended, output } = await startApi({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      RECOUP_API_PORT: String(port),
    })
    expect(await ended).toBe(1)
    expect(lines(output()).at(-1)).toMatchObject({
      level: 'fatal',
      port,
      msg: expect.stringContaining('RECOUP_API_PORT'),
    })
    squatter.close()
  })
})
