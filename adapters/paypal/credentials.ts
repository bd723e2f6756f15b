import type { AdapterContext, CredentialReport } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { checkAccount, searchedAccount, sellerOf } from './account.ts'
import type { PayPalClient } from './client.ts'

const SERVICES = 'https://uri.paypal.com/services'
const READ = `${SERVICES}/disputes/read-seller`
const UPDATE = `${SERVICES}/disputes/update-seller`
const SEARCH = `${SERVICES}/reporting/search/read`

/**
 * Checks the app's permissions with a new token, because an older one would still have former permissions, and whether
 * it belongs to the account that the client named.
 * @throws PspError auth_failed, permission_missing (the feature Disputes grants both scopes, or neither),
 * config_invalid for the credential of another account
 */
export async function checkCredentials(
  client: PayPalClient,
  ctx: Pick<AdapterContext<unknown>, 'environment' | 'externalIdentifier' | 'now'>,
): Promise<CredentialReport> {
  const { scopes } = await client.freshToken()
  for (const [scope, what] of [
    [READ, 'read disputes'],
    [UPDATE, 'answer disputes'],
  ] as const) {
    if (scopes.includes(scope)) continue
    throw new PspError('permission_missing', `The PayPal app may not ${what}. Enable its feature Disputes.`)
  }
  const list = await client.read('/v1/customer/disputes?page_size=1')
  const searches = scopes.includes(SEARCH)
  const pspAccount = sellerOf(at(list.value, 'items.0')) ?? (searches ? await searchedAccount(client, ctx.now()) : null)
  checkAccount(pspAccount, ctx.externalIdentifier)
  return {
    pspAccount,
    ...(pspAccount === null && !searches && { accountPermission: 'Transaction Search' }),
    mode: ctx.environment === 'production' ? 'live' : 'test',
    findings: [
      { permission: 'Disputes: read', state: 'ok', hint: 'Disputes can be listed.' },
      { permission: 'Disputes: update', state: 'ok', hint: 'Chargebacks can be accepted and contested.' },
      searches
        ? { permission: 'Transaction Search', state: 'ok', hint: 'Older payments can be enriched too.' }
        : {
            permission: 'Transaction Search',
            state: 'unverified',
            hint: 'Optional: it enriches payments that were not made by Orders.',
          },
      pspAccount !== null
        ? { permission: 'Account', state: 'ok', hint: `The app belongs to the PayPal account ${pspAccount}.` }
        : {
            permission: 'Account',
            state: 'unverified',
            hint: 'PayPal names the account in disputes and in Transaction Search only: enable Transaction Search, or wait for the first dispute.',
          },
    ],
  }
}
