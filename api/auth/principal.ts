import type { CredentialRole, CredentialScope } from '../../domain/accounts/credential.ts'

export interface Principal {
  credentialId: string
  accountId: string
  role: CredentialRole
  scope: CredentialScope
  groupId: string | null
  merchantUuid: string | null
}
