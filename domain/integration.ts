/** Integrations: PSPs, secret types and states, with the interface's spellings. */

/** Name of a PSP. The list is in adapters/registry.ts, which domain may not import. */
export type Source = string

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
