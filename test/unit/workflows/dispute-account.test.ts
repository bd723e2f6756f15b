import { expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import { disputeAccount } from '../../../workflows/activities/psp.ts'

/** decisions/0016: the account that the PSP confirmed, with what the dispute itself names. */
test.each([
  ['stripe', 'the account of the key', 'acct_1', null, 'acct_1'],
  ['braintree', 'the gateway and the merchant account of the dispute', 'recoupdemo', 'ma_usd', 'recoupdemo/ma_usd'],
  ['braintree', 'the gateway, where the dispute names none', 'recoupdemo', null, 'recoupdemo/?'],
  ['adyen', 'the merchant account of the dispute', 'RecoupDemoECOM', 'OtherECOM', 'OtherECOM'],
  ['paypal', 'the merchant of the dispute', 'OURS', 'THEIRS', 'THEIRS'],
  ['paypal', 'the credential’s, where the dispute names none', 'OURS', null, 'OURS'],
  ['adyen', 'any, where nobody has confirmed one', null, null, '?'],
  ['braintree', 'any, where nobody has confirmed a gateway', null, 'ma_usd', '?'],
])('the account of a dispute at %s: %s', (source, _, claimedAccount, named, account) => {
  const definition = adapters().find((one) => one.source === source)
  if (!definition) throw new Error(`there is no adapter ${source}`)
  expect(disputeAccount(definition, { claimedAccount } as Connection, named)).toBe(account)
})
