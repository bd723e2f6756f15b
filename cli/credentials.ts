import { issueCredential, listCredentials, revokeCredential } from '../db/credentials.ts'
import { CREDENTIAL_SCOPES } from '../domain/credential.ts'
import { act } from './acting.ts'
import { type Command, oneOf, readDate, required } from './command.ts'

export const credential: Record<string, Command> = {
  issue: {
    summary: 'make a bearer token; it is shown this once',
    options: {
      account: 'the account',
      scope: CREDENTIAL_SCOPES.join(' | '),
      'group?': 'the group, for scope group',
      'merchant?': 'merchantUuid, for scope merchant',
      'expires?': 'date-time; a year from now unless given',
    },
    changes: { reason: 'optional' },
    run(context) {
      const asked = {
        accountId: required(context, 'account'),
        scope: oneOf(context, 'scope', CREDENTIAL_SCOPES),
        groupId: context.given.group,
        merchantUuid: context.given.merchant,
      }
      const request = { ...asked, expiresAt: readDate(context, 'expires'), environment: context.environment }
      return act(
        context,
        (trx) => issueCredential(trx, context.ring(), request),
        ({ credentialId, expiresAt }) => ({ subject: credentialId, details: { ...asked, expiresAt } }),
      )
    },
  },
  list: {
    summary: 'credentials, never their tokens',
    options: { 'account?': 'of this account only' },
    run: ({ db, given }) => listCredentials(db, given.account),
  },
  revoke: {
    summary: 'refuse a credential from now on; acts within a second',
    argument: 'credentialId',
    changes: { reason: 'required' },
    async run(context) {
      const subject = required(context, 'credentialId')
      const revoked = await act(context, (trx) => revokeCredential(trx, subject), { subject })
      return { credentialId: subject, ...revoked }
    },
  },
}
