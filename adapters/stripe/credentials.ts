import type { CredentialReport } from '../contract.ts'
import { PspError } from '../errors.ts'
import { foreignAccount, type StripeClient } from './client.ts'

/** The mode according to the key's prefix. */
export function modeOf(apiKey: string): 'live' | 'test' | 'unknown' {
  const mode = /^(?:sk|rk)_(live|test)_/.exec(apiKey)?.[1]
  return mode === 'live' || mode === 'test' ? mode : 'unknown'
}

/**
 * Checks the key's permissions, for the account that `externalIdentifier` names. Reading disputes must work; other
 * permissions are reported. Writes can't be tested without side effects and stay unverified. `open` returns the client
 * for a known account of the key.
 * @throws PspError auth_failed, permission_missing (no Disputes: read), config_invalid (a test key in production, the
 * key of another account)
 */
export async function checkCredentials(
  asked: { apiKey: string; externalIdentifier: string; environment: 'sandbox' | 'production' },
  open: (pspAccount: string | null) => StripeClient,
): Promise<CredentialReport> {
  const mode = modeOf(asked.apiKey)
  // A test key in production would work, but never show a live dispute.
  if (asked.environment === 'production' && mode === 'test') {
    throw new PspError('config_invalid', 'This is a test key of Stripe, which has no real disputes. Use a live key.')
  }
  const pspAccount = await confirmAccount(open(null))
  const client = open(pspAccount)
  await proveAccount(client, asked.externalIdentifier, pspAccount)
  const charges = await tolerated(() => client.read('list', (sdk, options) => sdk.charges.list({ limit: 1 }, options)))
  return {
    pspAccount,
    ...(pspAccount === null && { accountPermission: 'Account: read' }),
    mode,
    findings: [
      { permission: 'Disputes: read', state: 'ok', hint: 'Disputes can be listed.' },
      charges === null
        ? { permission: 'Charges: read', state: 'missing', hint: 'Grant it so that chargebacks can be enriched.' }
        : { permission: 'Charges: read', state: 'ok', hint: 'Chargebacks can be enriched.' },
      pspAccount === null
        ? {
            permission: 'Account: read',
            state: 'missing',
            hint: 'Optional: it names the account that the key belongs to. Until then that is known of the account in externalIdentifier only, on which the key may act.',
          }
        : { permission: 'Account: read', state: 'ok', hint: 'The account of the key is known.' },
      { permission: 'Disputes: write', state: 'unverified', hint: 'Needed to accept and to contest; not tried.' },
      { permission: 'Files: write', state: 'unverified', hint: 'Needed to upload evidence; not tried.' },
    ],
  }
}

/** The account that Stripe currently reports for the key; null for a restricted key that may not read it. */
export async function confirmAccount(client: StripeClient): Promise<string | null> {
  const account = await tolerated(() => client.readAsKey('account', (sdk) => sdk.accounts.retrieveCurrent()))
  return account?.value.id ?? null
}

/**
 * Checks that the disputes of the integration's account can be read: the key's own account, or one that it may act for.
 * @throws PspError config_invalid when the key can't access that account, permission_missing
 */
async function proveAccount(client: StripeClient, wanted: string, own: string | null): Promise<void> {
  const context = foreignAccount({ externalIdentifier: wanted, pspAccount: own })
  if (context === null && own === null) throw nameless()
  try {
    await client.read('list', (sdk, options) => sdk.disputes.list({ limit: 1 }, options))
  } catch (error) {
    const refused = error instanceof PspError && error.kind === 'permission_missing'
    if (!refused || context === null) throw error
    // Stripe also refuses a key without "Disputes: read" when no account is named.
    await client.readAsKey('list', (sdk) => sdk.disputes.list({ limit: 1 }))
    throw unreachable(context, own)
  }
  if (context === null || own === null) return
  const acted = await tolerated(() =>
    client.read('account', (sdk, options) => sdk.accounts.retrieveCurrent({}, options)),
  )
  if (acted !== null && acted.value.id !== context) throw unreachable(context, own)
}

function unreachable(wanted: string, own: string | null): PspError {
  const message =
    own === null
      ? `Stripe does not let this restricted key act for account ${wanted}, which externalIdentifier names. Use a key of ${wanted}. If it is one, grant it Account: read, so that Stripe tells whose it is.`
      : `The Stripe API key belongs to account ${own} and may not act for account ${wanted}, which externalIdentifier names. Use a key of ${wanted}, or name ${own}.`
  return new PspError('config_invalid', message)
}

function nameless(): PspError {
  return new PspError(
    'permission_missing',
    'Stripe does not tell which account this restricted key belongs to. Grant it Account: read, or give the account id (acct_…) as externalIdentifier.',
  )
}

/** Null when a restricted key lacks an optional permission. */
async function tolerated<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof PspError && error.kind === 'permission_missing') return null
    throw error
  }
}
