/** Integrations: which PSPs, which kinds of secret, which states. The interface's spellings. */

export const SOURCES = ['stripe', 'braintree', 'paypal', 'adyen', 'recoup_sandbox'] as const
export type Source = (typeof SOURCES)[number]

export const SECRET_TYPES = [
  'APIKEY_ONLY',
  'PUBLIC_SECRET_KEY',
  'BASIC_AUTH',
  'USERNAME_PASSWORD',
  'HMAC',
  'APIKEY',
] as const
export type SecretType = (typeof SECRET_TYPES)[number]

export const INTEGRATION_STATUSES = ['PENDING', 'SUCCESSFUL', 'FAILED', 'INACTIVE'] as const
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number]

export const ENVIRONMENTS = ['sandbox', 'production'] as const
export type Environment = (typeof ENVIRONMENTS)[number]
