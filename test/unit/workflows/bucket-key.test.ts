import { expect, test } from 'vitest'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { stripe } from '../../../adapters/stripe/index.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import { bucketKeyOf, confirmedAccount } from '../../../workflows/activities/psp.ts'

const connection = (changes: Partial<Connection>) =>
  ({
    ...{ source: 'stripe', integrationId: 'i-1', externalIdentifier: 'acct_claimed' },
    ...{ status: 'SUCCESSFUL', pspAccount: 'acct_own' },
    ...changes,
  }) as Connection

test.each([
  ['an unconfirmed account has its own', { status: 'PENDING', pspAccount: null }, 'i-1'],
  ['an account that the PSP refused has its own', { status: 'FAILED', pspAccount: 'acct_own' }, 'i-1'],
  ['an integration without a known account has its own', { externalIdentifier: 'shop', pspAccount: null }, 'i-1'],
  ['a confirmed account shares one', { externalIdentifier: 'shop' }, 'acct_own'],
  ['another account that the key may act on shares one', {}, 'acct_claimed'],
] as const)('the rate limit bucket of a call: %s', (_, changes, key) =>
  expect(bucketKeyOf(stripe as AdapterDefinition, connection(changes))).toBe(`stripe:${key}`),
)

test.each([
  ['the key’s own', 'shop', 'acct_own', 'acct_own'],
  ['another one that the key acts for', 'acct_claimed', 'acct_own', 'acct_claimed'],
  ['one that a restricted key acts for, which does not identify its own account', 'acct_claimed', null, 'acct_claimed'],
])('the account that a successful check has confirmed: %s', (_, externalIdentifier, pspAccount, account) =>
  expect(confirmedAccount(stripe as AdapterDefinition, connection({ externalIdentifier }), pspAccount)).toBe(account),
)
