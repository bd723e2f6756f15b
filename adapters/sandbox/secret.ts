import { z } from 'zod'
import type { SecretType } from '../../domain/integration.ts'
import type { ConnectionGuide, SecretSchema } from '../contract.ts'
import { PspError } from '../errors.ts'

/** Fields of the six secretTypes; `notificationSecret` is allowed with each of them. */
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

const named = (title: string) =>
  value.meta({ title, description: 'Any value; one that begins with malformed_ is refused.' })

const notificationSecret = value.optional().meta({
  title: 'Notification secret',
  description: 'Any value: the simulated PSP signs its notifications with it.',
})

const notificationFields = ['notificationSecret'] as const

/** All six types of the interface, with their required and optional fields; any non-empty value is valid. */
export const sandboxSecrets: { [T in SecretType]: SecretSchema<SandboxSecret> } = {
  APIKEY_ONLY: {
    schema: z.looseObject({ apiKey: named('API key'), notificationSecret }),
    secretFields: ['apiKey', 'notificationSecret'],
    notificationFields,
  },
  PUBLIC_SECRET_KEY: {
    schema: z.looseObject({
      secretKey: named('Secret key'),
      publicKey: named('Public key').optional(),
      notificationSecret,
    }),
    secretFields: ['secretKey', 'notificationSecret'],
    notificationFields,
  },
  BASIC_AUTH: {
    schema: z.looseObject({ clientId: named('Client id'), clientSecret: named('Client secret'), notificationSecret }),
    secretFields: ['clientSecret', 'notificationSecret'],
    notificationFields,
  },
  USERNAME_PASSWORD: {
    schema: z.looseObject({ username: named('User name'), password: named('Password'), notificationSecret }),
    secretFields: ['password', 'notificationSecret'],
    notificationFields,
  },
  HMAC: {
    schema: z.looseObject({
      hmac: named('HMAC key'),
      apiKey: named('API key'),
      merchantCode: named('Merchant code').optional(),
      accountCode: named('Account code').optional(),
      notificationSecret,
    }),
    secretFields: ['hmac', 'apiKey', 'notificationSecret'],
    notificationFields: ['hmac', 'notificationSecret'],
  },
  APIKEY: {
    schema: z.looseObject({
      apiKey: named('API key'),
      storeUrl: named('Store URL').optional(),
      shopName: named('Shop name').optional(),
      notificationSecret,
    }),
    secretFields: ['apiKey', 'notificationSecret'],
    notificationFields,
  },
}

/** Words for people who connect an account. */
export const guide: ConnectionGuide = {
  identifier: { title: 'Account', description: 'Any name.', example: 'sandbox-shop' },
  permissions: [],
  webhook: { where: 'The simulated PSP of `npm start`', events: ['all'] },
}

/** The sign-in at the sandbox PSP: the user, if the type has one, and the secret. */
export function signInOf(secret: SandboxSecret): { user: string; secret: string } {
  return {
    user: secret.publicKey ?? secret.clientId ?? secret.username ?? '',
    secret: secret.secretKey ?? secret.clientSecret ?? secret.password ?? secret.apiKey ?? '',
  }
}

/** The signing secret of notifications: the secret of HMAC integrations, or an additional field of any other type. */
export function signingSecretOf(secret: SandboxSecret): string | undefined {
  return secret.notificationSecret ?? secret.hmac
}

/** @throws PspError config_invalid for values with the prefix `malformed_` (for testing) or with control characters */
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
