/** Bearer tokens of the service: a JWT signed with Ed25519. Who issues and who checks share these names. */

export const TOKEN_ISSUER = 'recoup'
export const TOKEN_AUDIENCE = 'recoup-api'

export const CREDENTIAL_SCOPES = ['account', 'group', 'merchant'] as const
export type CredentialScope = (typeof CREDENTIAL_SCOPES)[number]

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
