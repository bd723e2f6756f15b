import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connections, openConnections } from './connections.ts'

describe.each(['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'])('an account at %s', (source) => {
  let at: Connections
  beforeAll(async () => {
    at = await openConnections(source)
    // PayPal shows its account with the first dispute.
    await at.open()
    await at.verify(at.integrationId)
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test('is connected once by its merchant: a second one is FAILED and not polled, and names the first', async () => {
    // Frees the identifier for the merchant's second integration, like a deactivation.
    await at.stage.db.updateTable('integration').set({ external_identifier: 'before' }).execute()
    const second = await at.connect(at.merchantUuid)
    const { status, status_reason } = await at.verify(second)
    expect(status).toBe('FAILED')
    expect(status_reason).toContain(at.integrationId)
    await at.poll(second)
    expect(await at.chargebacks(second)).toEqual([])
    expect((await at.row(at.integrationId)).status).toBe('SUCCESSFUL')
  })

  test("is connected once across all merchants: another merchant's is FAILED, without details", async () => {
    const second = await at.connect(await at.newMerchant())
    const { status, status_reason } = await at.verify(second)
    expect([status, status_reason]).toEqual([
      'FAILED',
      'The PSP account is connected elsewhere already. One account can be connected once.',
    ])
  })
})

describe('two integrations', () => {
  let at: Connections
  beforeAll(async () => {
    at = await openConnections('braintree')
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test('verified concurrently for one account: one wins, the other works after that is deactivated', async () => {
    await at.deactivate(at.integrationId)
    const both = await Promise.all([0, 1].map(async () => at.connect(await at.newMerchant())))
    const verified = await Promise.all(both.map(at.verify))
    expect(verified.map(({ status }) => status).sort()).toEqual(['FAILED', 'SUCCESSFUL'])
    const won = verified.find(({ status }) => status === 'SUCCESSFUL')?.integration_id ?? ''
    const lost = verified.find(({ status }) => status === 'FAILED')?.integration_id ?? ''
    await at.deactivate(won)
    expect((await at.verify(lost)).status).toBe('SUCCESSFUL')
    await at.deactivate(lost)
  })

  test('with disjoint merchant accounts on one gateway both work; an overlap is refused', async () => {
    const connect = async (merchantAccountCodes?: string[]) =>
      at.verify(await at.connect(await at.newMerchant(), { ...(merchantAccountCodes && { merchantAccountCodes }) }))
    expect((await connect(['ma_eur'])).status).toBe('SUCCESSFUL')
    expect((await connect(['ma_usd', 'ma_gbp'])).status).toBe('SUCCESSFUL')
    expect((await connect(['ma_gbp', 'ma_jpy'])).status).toBe('FAILED')
    expect((await connect()).status).toBe('FAILED')
  })
})
