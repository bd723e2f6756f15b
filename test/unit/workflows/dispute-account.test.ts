import { expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import { disputeAccount } from '../../../workflows/activities/psp.ts'

/** decisions/0016: the account that the PSP confirmed, combined with the account that the dispute names. */
test.each([
  ['stripe', 'the account of the key', 'acct_1', null, 'acct_1'],
  ['braintree', 'the gateway and the merchant account of the dispute', 'recoupdemo', 'ma_usd', 'recoupdemo/ma_usd'],
  ['braintree', 'the gateway, if the dispute names no merchant account', 'recoupdemo', null, 'recoupdemo/?'],
  ['adyen', 'the merchant account of the dispute', 'RecoupDemoECOM', 'OtherECOM', 'OtherECOM'],
  ['paypal', 'the merchant of the dispute', 'OURS', 'THEIRS', 'THEIRS'],
  ['paypal', 'the merchant of the credential, if the dispute names none', 'OURS', null, 'OURS'],
  ['adyen', 'unknown, if no account is confirmed', null, null, '?'],
  ['braintree', 'unknown, if no gateway is confirmed', null, 'ma_usd', '?'],
])('the account of a dispute at %s: %s', (source, _, claimedAccount, named, account) => {
  const definition = adapters().find((one) => one.source === source)
  if (!definition) throw new Error(`there is no adapter ${source}`)
  expect(disputeAccount(definition, { claimedAccount } as Connection, named)).toBe(account)
})
