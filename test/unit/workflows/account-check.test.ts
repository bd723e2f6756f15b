import { describe, expect, test } from 'vitest'
import type { Translation } from '../../../adapters/contract.ts'
import { adapterFor } from '../../../adapters/registry.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { checkAccount } from '../../../workflows/activities/polling/account-check.ts'
import type { AtPsp } from '../../../workflows/activities/psp.ts'

const naming = (merchantReferenceName: string | null) =>
  ({ kind: 'chargeback', facts: { merchantReferenceName }, anomalies: [] }) as unknown as Translation
const noDatabase = {} as ActivityDeps

function check(source: string, connection: object, translations: Translation[], calls: (string | null)[] = []) {
  const secretType = source === 'paypal' ? 'BASIC_AUTH' : source === 'adyen' ? 'HMAC' : 'APIKEY_ONLY'
  const adapter = { confirmAccount: async () => calls.shift() ?? null }
  const psp = { definition: adapterFor(source as never, secretType), adapter } as unknown as AtPsp
  Object.assign(psp, { call: (work: (given: unknown) => Promise<unknown>) => work(adapter) })
  return { psp, run: () => checkAccount(noDatabase, connection as Connection, psp, translations) }
}

describe('disputes that are new to us', () => {
  test.each(['paypal', 'adyen'])('fail the poll if %s names another account in them', async (source) => {
    const connection = { claimedAccount: 'OURS' }
    await expect(check(source, connection, [naming('OURS'), naming('THEIRS')]).run()).rejects.toMatchObject({
      kind: 'auth_failed',
      message: expect.stringMatching(/THEIRS.*OURS/),
    })
    await expect(check(source, connection, [naming('OURS'), naming(null)]).run()).resolves.toBeUndefined()
  })

  test('cost one call per poll if the key identifies its account, and none if there are none', async () => {
    const connection = { pspAccount: 'acct_ours', claimedAccount: 'acct_ours' }
    const calls = ['acct_ours', 'acct_theirs']
    const { run } = check('stripe', connection, [naming(null)], calls)
    await run()
    await run()
    expect(calls).toEqual(['acct_theirs'])
    await check('stripe', connection, [], calls).run()
    expect(calls).toEqual(['acct_theirs'])
    await expect(check('stripe', connection, [naming(null)], calls).run()).rejects.toMatchObject({
      kind: 'auth_failed',
    })
  })
})
