/** Bearer tokens: JWTs signed with Ed25519. Issuer and verifier share these names. */

export const TOKEN_ISSUER = 'recoup'
export const TOKEN_AUDIENCE = 'recoup-api'

export const CREDENTIAL_SCOPES = ['account', 'group', 'merchant'] as const
export type CredentialScope = (typeof CREDENTIAL_SCOPES)[number]

/** Roles of a credential; each includes the previous ones. */
export const CREDENTIAL_ROLES = ['read', 'work', 'manage'] as const
export type CredentialRole = (typeof CREDENTIAL_ROLES)[number]

export const permits = (role: CredentialRole, needed: CredentialRole): boolean =>
  CREDENTIAL_ROLES.indexOf(role) >= CREDENTIAL_ROLES.indexOf(needed)

/** Default lifetime of a credential in days. */
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
