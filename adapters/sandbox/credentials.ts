import { z } from 'zod'
import type { SecretType } from '../../domain/integration.ts'
import type { CredentialReport, SecretSchema } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { SandboxClient } from './client.ts'

/** Fields that any of the six secretTypes may bring; `notificationSecret` is taken beside each of them. */
export interface SandboxSecret {
  apiKey?: string | undefined
  publicKey?: string | undefined
  secretKey?: string | undefined
  clientId?: string | undefined
  clientSecret?: string | undefined
  username?: string | undefined
  password?: string | undefined
  hmac?: string | undefined
  notificationSecret?: string | undefined
}

const value = z.string().min(1).max(4096)
const notificationSecret = value.optional()
const notificationFields = ['notificationSecret'] as const

/** All six types of the interface, with its required and optional fields; any non-empty value does. */
export const sandboxSecrets: { [T in SecretType]: SecretSchema<SandboxSecret> } = {
  APIKEY_ONLY: {
    schema: z.looseObject({ apiKey: value, notificationSecret }),
    secretFields: ['apiKey', 'notificationSecret'],
    notificationFields,
  },
  PUBLIC_SECRET_KEY: {
    schema: z.looseObject({ secretKey: value, publicKey: value.optional(), notificationSecret }),
    secretFields: ['secretKey', 'notificationSecret'],
    notificationFields,
  },
  BASIC_AUTH: {
    schema: z.looseObject({ clientId: value, clientSecret: value, notificationSecret }),
    secretFields: ['clientSecret', 'notificationSecret'],
    notificationFields,
  },
  USERNAME_PASSWORD: {
    schema: z.looseObject({ username: value, password: value, notificationSecret }),
    secretFields: ['password', 'notificationSecret'],
    notificationFields,
  },
  HMAC: {
    schema: z.looseObject({
      hmac: value,
      apiKey: value,
      merchantCode: value.optional(),
      accountCode: value.optional(),
      notificationSecret,
    }),
    secretFields: ['hmac', 'apiKey', 'notificationSecret'],
    notificationFields: ['hmac', 'notificationSecret'],
  },
  APIKEY: {
    schema: z.looseObject({
      apiKey: value,
      storeUrl: value.optional(),
      shopName: value.optional(),
      notificationSecret,
    }),
    secretFields: ['apiKey', 'notificationSecret'],
    notificationFields,
  },
}

/** What is shown at the sandbox PSP's door: who, where the type says so, and the secret itself. */
export function signInOf(secret: SandboxSecret): { user: string; secret: string } {
  return {
    user: secret.publicKey ?? secret.clientId ?? secret.username ?? '',
    secret: secret.secretKey ?? secret.clientSecret ?? secret.password ?? secret.apiKey ?? '',
  }
}

/** What notifications are signed with: the secret of HMAC integrations, or one given beside any other type. */
export function signingSecretOf(secret: SandboxSecret): string | undefined {
  return secret.notificationSecret ?? secret.hmac
}

/** @throws PspError config_invalid for values that begin with `malformed_` (to try that out) or hold control characters */
export function checkConfiguration(configuration: { secret: SandboxSecret; externalIdentifier: string }): void {
  const { secret, externalIdentifier } = configuration
  for (const text of Object.values(secret)) {
    if (typeof text !== 'string') continue
    if (/\p{Cc}/u.test(text)) {
      throw new PspError('config_invalid', 'A value of the secret payload holds a line break or another control code.')
    }
    if (text.startsWith('malformed_')) {
      throw new PspError(
        'config_invalid',
        'The sandbox refuses secrets that begin with malformed_: it is there to try a refusal. Send any other value.',
      )
    }
  }
  if (externalIdentifier === '.' || externalIdentifier === '..' || !externalIdentifier.isWellFormed()) {
    throw new PspError('config_invalid', 'externalIdentifier can not be . or .. and must be well-formed text.')
  }
}

/** How the sandbox takes a credential: those that begin with `refused_` or `restricted_` are there to be tried out. */
export function standingOf(shown: { user: string; secret: string }): 'good' | 'refused' | 'restricted' {
  const begins = (prefix: string) => shown.secret.startsWith(prefix) || shown.user.startsWith(prefix)
  if (shown.secret === '' || begins('refused_')) return 'refused'
  return begins('restricted_') ? 'restricted' : 'good'
}

/** Any other text is an account at the sandbox PSP: those that begin with `unknown_` are there to be tried out. */
export function isUnknownAccount(account: string): boolean {
  return account.startsWith('unknown_')
}

/** @throws PspError auth_failed, permission_missing as the PSP would */
export function demandGood(secret: SandboxSecret): void {
  const standing = standingOf(signInOf(secret))
  if (standing === 'refused') throw refused()
  if (standing === 'restricted') throw restricted()
}

export function refused(requestId?: string): PspError {
  const message = 'The sandbox refuses credentials that begin with refused_. Connect with any other value.'
  return new PspError('auth_failed', message, { requestId })
}

export function restricted(requestId?: string): PspError {
  const message = 'The sandbox lets credentials that begin with restricted_ read nothing. Connect with any other value.'
  return new PspError('permission_missing', message, { requestId })
}

/** The account as the sandbox PSP names it now; null without one: what a client typed is confirmed by nobody. */
export async function confirmAccount(client: SandboxClient | null, externalIdentifier: string): Promise<string | null> {
  if (client === null && isUnknownAccount(externalIdentifier)) throw unreachable()
  return client === null ? null : await client.readAccount()
}

/** There is no such account, or the credential belongs to another one. */
export function unreachable(requestId?: string): PspError {
  const message =
    'The sandbox gives this credential no access to the account in externalIdentifier: it belongs to another one, or the account is one that begins with unknown_.'
  return new PspError('permission_missing', message, { requestId })
}

/** @throws PspError auth_failed, permission_missing */
export async function checkCredentials(
  client: SandboxClient | null,
  secret: SandboxSecret,
  externalIdentifier: string,
): Promise<CredentialReport> {
  if (client === null) demandGood(secret)
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
