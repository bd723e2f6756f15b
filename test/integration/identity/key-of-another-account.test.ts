import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_KEY } from '../../../simulators/stripe/keys.ts'
import { type Connections, openConnections } from './connections.ts'

let at: Connections
beforeAll(async () => {
  at = await openConnections('stripe')
})
afterAll(() => at[Symbol.asyncDispose]())

describe('a key that belongs to another account now', () => {
  test('stores nothing for its merchant: the integration is FAILED, with both accounts in its reason', async () => {
    await at.open()
    const before = await at.chargebacks(at.integrationId)
    await at.control('POST', '/disputes', { count: 3, account: 'acct_buyer', status: 'needs_response' })
    await at.control('POST', '/accounts/acct_buyer/keys', { key: DEMO_KEY })

    for (let refused = 0; refused < 3; refused++) await at.poll(at.integrationId)
    await at.run(at.activities.recordRefusedCredential, { integrationId: at.integrationId })
    const { status, status_reason } = await at.row(at.integrationId)
    expect(status).toBe('FAILED')
    expect(status_reason).toContain('acct_buyer')
    expect(status_reason).toContain(at.account)
    // Another check does not change that.
    expect((await at.verify(at.integrationId)).status).toBe('FAILED')
    const all = await at.stage.db.selectFrom('chargeback').select('id').execute()
    expect(all.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
  })

  test('is polled again once it has a key of its own account', async () => {
    await at.control('POST', `/accounts/${at.account}/keys`, { key: DEMO_KEY })
    expect((await at.verify(at.integrationId)).status).toBe('SUCCESSFUL')
    const { ref } = await at.open()
    expect(await at.chargeback(ref)).toMatchObject({ integration_id: at.integrationId, psp_account: at.account })
  })
})
