/** Bearer tokens of the service: a JWT signed with Ed25519. Who issues and who checks share these names. */

export const TOKEN_ISSUER = 'recoup'
export const TOKEN_AUDIENCE = 'recoup-api'

export const CREDENTIAL_SCOPES = ['account', 'group', 'merchant'] as const
export type CredentialScope = (typeof CREDENTIAL_SCOPES)[number]

/** What a credential may do, each role all that the ones before it may. */
export const CREDENTIAL_ROLES = ['read', 'work', 'manage'] as const
export type CredentialRole = (typeof CREDENTIAL_ROLES)[number]

export const permits = (role: CredentialRole, needed: CredentialRole): boolean =>
  CREDENTIAL_ROLES.indexOf(role) >= CREDENTIAL_ROLES.indexOf(needed)

/** Days that a credential lasts unless its expiry is given. */
export const CREDENTIAL_DAYS = 90

export interface TokenClaims {
  iss: string
  aud: string
  /** Credential id. */
  sub: string
  jti: string
  /** Seconds. */
  iat: number
  /** Seconds. */
  exp: number
  env: string
  scope: CredentialScope
  groupId?: string
  merchantUuid?: string
}
