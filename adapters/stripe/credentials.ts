import type { CredentialReport } from '../contract.ts'
import { PspError } from '../errors.ts'
import { foreignAccount, type StripeClient } from './client.ts'

/** The mode that a key's prefix tells. */
export function modeOf(apiKey: string): 'live' | 'test' | 'unknown' {
  const mode = /^(?:sk|rk)_(live|test)_/.exec(apiKey)?.[1]
  return mode === 'live' || mode === 'test' ? mode : 'unknown'
}

/**
 * Whether the key may do what Recoup needs, for the account that `externalIdentifier` names. Reading disputes must work;
 * the rest is reported. Writing can't be tried without side effects and stays unverified. `open` gives the client for a
 * known account of the key.
 * @throws PspError auth_failed, permission_missing (no Disputes: read), config_invalid (a test key in production, the
 * key of another account)
 */
export async function checkCredentials(
  asked: { apiKey: string; externalIdentifier: string; environment: 'sandbox' | 'production' },
  open: (pspAccount: string | null) => StripeClient,
): Promise<CredentialReport> {
  const mode = modeOf(asked.apiKey)
  // It works, and never shows a dispute.
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

/** The account of the key as Stripe names it now; null for a restricted key that may not read it. */
export async function confirmAccount(client: StripeClient): Promise<string | null> {
  const account = await tolerated(() => client.readAsKey('account', (sdk) => sdk.accounts.retrieveCurrent()))
  return account?.value.id ?? null
}

/**
 * The disputes of the account that is meant can be read: the key's own, or one that Stripe lets the key act for.
 * @throws PspError config_invalid for another account than the key reaches, permission_missing
 */
async function proveAccount(client: StripeClient, wanted: string, own: string | null): Promise<void> {
  const context = foreignAccount({ externalIdentifier: wanted, pspAccount: own })
  if (context === null && own === null) throw nameless()
  try {
    await client.read('list', (sdk, options) => sdk.disputes.list({ limit: 1 }, options))
  } catch (error) {
    const refused = error instanceof PspError && error.kind === 'permission_missing'
    if (!refused || context === null) throw error
    // A key without Disputes: read is refused without naming an account, too.
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

/** Null where a restricted key lacks a permission that Recoup can do without. */
async function tolerated<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof PspError && error.kind === 'permission_missing') return null
    throw error
  }
}
