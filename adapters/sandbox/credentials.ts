import type { CredentialReport } from '../contract.ts'
import type { SandboxClient } from './client.ts'
import { refused, restricted, unreachable } from './errors.ts'
import { type SandboxSecret, signInOf } from './secret.ts'

/** How the sandbox treats a credential: `refused_` and `restricted_` prefixes allow clients to test errors. */
export function credentialState(shown: { user: string; secret: string }): 'good' | 'refused' | 'restricted' {
  const begins = (prefix: string) => shown.secret.startsWith(prefix) || shown.user.startsWith(prefix)
  if (shown.secret === '' || begins('refused_')) return 'refused'
  return begins('restricted_') ? 'restricted' : 'good'
}

/** Any other text is an account at the sandbox PSP; the prefix `unknown_` allows clients to test an unknown account. */
export function isUnknownAccount(account: string): boolean {
  return account.startsWith('unknown_')
}

/** @throws PspError auth_failed, permission_missing as the PSP would */
export function requireValidCredential(secret: SandboxSecret): void {
  const standing = credentialState(signInOf(secret))
  if (standing === 'refused') throw refused()
  if (standing === 'restricted') throw restricted()
}

/** The sandbox PSP's name of the account; null without a sandbox PSP, because nobody confirms the client's entry. */
export async function confirmAccount(client: SandboxClient | null, externalIdentifier: string): Promise<string | null> {
  if (client === null && isUnknownAccount(externalIdentifier)) throw unreachable()
  return client === null ? null : await client.readAccount()
}

/** @throws PspError auth_failed, permission_missing */
export async function checkCredentials(
  client: SandboxClient | null,
  secret: SandboxSecret,
  externalIdentifier: string,
): Promise<CredentialReport> {
  if (client === null) requireValidCredential(secret)
  const account = await confirmAccount(client, externalIdentifier)
  const hint =
    client === null
      ? 'Chargebacks come from POST /sandbox/raw-data alone: no sandbox PSP is running.'
      : 'Chargebacks can be listed.'
  return {
    pspAccount: account,
    mode: 'test',
    findings: [{ permission: 'chargebacks', state: 'ok', hint }],
  }
}
