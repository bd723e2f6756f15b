import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adapterFor } from '../../../../adapters/registry.ts'
import { connect } from '../../../../db/core/connect.ts'
import { readKeyRing } from '../../../../db/core/seal.ts'
import { recordVerdict } from '../../../../db/integrations/connections.ts'
import { createIntegration } from '../../../../db/integrations/integrations.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createMerchant } from '../../../../db/merchants/merchants.ts'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { createActivities } from '../../../../workflows/activities/index.ts'
import type { SliceResult } from '../../../../workflows/activities/polling/polling.ts'
import { connectLazily } from '../../../../workflows/starters/temporal.ts'
import { createDatabase, type TestDatabase } from '../../../harness/database.ts'
import { fileProcesses } from '../../../harness/file-processes.ts'

let database: TestDatabase
let simulator: RunningSimulator
let db: ReturnType<typeof connect>
/** Statements sent since the last look, transaction control included; tokens of the rate bucket apart. */
let sent: string[] = []

beforeAll(async () => {
  database = await createDatabase()
  simulator = await startSimulator(stripeSimulator)
  db = connect(database.url, { scope: 'system', max: 3 })
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const text = String((args[0] as { text?: string }).text ?? args[0])
      if (!text.includes('rate_bucket')) sent.push(text)
      return query(...args)
    }) as typeof client.query
  })
})
afterAll(async () => {
  await db.destroy()
  await simulator[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** An integration over an account with `count` disputes, and how one poll of it went. */
async function poller(count: number, order = {}): Promise<() => Promise<SliceResult & { statements: number }>> {
  const account = `acct_statements${count}${Object.values(order).join('')}`
  await fetch(`${simulator.controlUrl}/disputes`, {
    method: 'POST',
    body: JSON.stringify({ count, account, ...order }),
  })
  const ring = readKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`)
  const { accountId } = await createAccount(db, { name: account })
  const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
  const { merchantUuid } = await createMerchant(db, ring, {
    accountId,
    merchantName: 'M',
    websiteUrl: 'https://m.example.com',
    contact,
  })
  const { integrationId } = await createIntegration(db, ring, {
    merchantUuid,
    source: 'stripe',
    integrationName: 'S',
    externalIdentifier: account,
    secretType: 'APIKEY_ONLY',
    secretPayload: stripeSimulator.secretPayload,
  })
  await recordVerdict(db, integrationId, {
    status: 'SUCCESSFUL',
    reason: null,
    pspAccount: stripeSimulator.profile.homeAccount,
  })
  const pace = { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 }
  const { ingestPages } = createActivities({
    db,
    ring,
    files: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor,
    environment: 'sandbox',
    baseUrls: { stripe: simulator.url },
    polling: { intervalSeconds: 60, pace },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {},
  })
  return async () => {
    sent = []
    const slice = (await new MockActivityEnvironment().run(ingestPages, { integrationId })) as SliceResult
    return { ...slice, statements: sent.length }
  }
}

describe('statements of a poll', () => {
  test('a page takes the same number whatever its size, and a second page only its own', async () => {
    const [small, large, two] = [await poller(3), await poller(100), await poller(200)]
    const [three, hundred, pages] = [await small(), await large(), await two()]
    expect([three.created, hundred.created, pages.created, pages.pages]).toEqual([3, 100, 200, 2])
    expect(hundred.statements).toBe(three.statements)
    expect(pages.statements - hundred.statements).toBeLessThanOrEqual(4)
  })

  test('a page whose disputes were due to be read again takes one more, whatever its size, and none is fetched', async () => {
    const open = { status: 'needs_response' }
    const [small, large] = [await poller(4, open), await poller(90, open)]
    for (const poll of [small, large]) await poll()
    // Unchanged pages are not even compared.
    await db.deleteFrom('list_page').execute()
    const [undue] = [await small()]
    await db
      .updateTable('chargeback')
      .set({ reread_after: new Date(0) })
      .execute()
    await db
      .updateTable('list_page')
      .set({ due_at: new Date(0) })
      .execute()
    const [four, ninety] = [await small(), await large()]
    expect([four.statements - undue.statements, ninety.statements - four.statements]).toEqual([1, 0])
    expect([four.reread, ninety.reread, ninety.seen, ninety.changed]).toEqual([0, 0, 90, 0])
  })

  test('a page without news asks what is new and moves the cursor, and writes no row', async () => {
    const poll = await poller(50)
    await poll()
    const again = await poll()
    expect(again).toMatchObject({ seen: 50, created: 0, changed: 0, quarantined: 0 })
    expect(
      sent.filter((text) => /insert into chargeback|insert into raw_object|insert into quarantine/.test(text)),
    ).toEqual([])
  })
})
