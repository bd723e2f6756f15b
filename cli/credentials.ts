import { issueCredential, listCredentials, revokeCredential, setAddresses } from '../db/merchants/credentials.ts'
import { CREDENTIAL_DAYS, CREDENTIAL_ROLES, CREDENTIAL_SCOPES } from '../domain/accounts/credential.ts'
import { addressBlocks } from '../process/address-blocks.ts'
import { act } from './acting.ts'
import { type Command, type CommandContext, oneOf, readDate, readText, required, UsageError } from './command.ts'

export const credential: Record<string, Command> = {
  issue: {
    summary: 'issue a bearer token, which is shown only once',
    options: {
      account: 'the account',
      name: 'the system or person that uses it',
      scope: CREDENTIAL_SCOPES.join(' | '),
      'role?': `${CREDENTIAL_ROLES.join(' | ')}; manage by default`,
      'group?': 'the group, for --scope group',
      'merchant?': 'merchantUuid, for --scope merchant',
      'expires?': `date-time, at most RECOUP_TOKEN_MAX_DAYS from now; ${CREDENTIAL_DAYS} days from now by default`,
      'addresses?': 'address ranges that may use it, comma-separated; any by default',
    },
    changes: { reason: 'optional' },
    run(context) {
      const asked = {
        accountId: required(context, 'account'),
        name: readText(context, 'name', 100),
        role: context.given.role === undefined ? 'manage' : oneOf(context, 'role', CREDENTIAL_ROLES),
        scope: oneOf(context, 'scope', CREDENTIAL_SCOPES),
        groupId: context.given.group,
        merchantUuid: context.given.merchant,
        addresses: readAddresses(context),
      } as const
      const { environment, tokenDays: mostDays } = context
      const request = { ...asked, expiresAt: readDate(context, 'expires'), environment, mostDays }
      return act(
        context,
        (trx) => issueCredential(trx, context.ring(), request),
        ({ credentialId, expiresAt }) => ({ subject: credentialId, details: { ...asked, expiresAt } }),
      )
    },
  },
  list: {
    summary: 'list credentials, without their tokens',
    options: { 'account?': 'only this account' },
    list: {
      ...{ credentialId: 'credentialId', name: 'name', role: 'role', expires: 'expiresAt' },
      ...{ revoked: 'revokedAt', 'last used': 'lastUsedAt', scope: 'scope' },
    },
    run: ({ db, given }) => listCredentials(db, given.account),
  },
  allow: {
    summary: 'set the addresses that may use a credential; takes effect within a second',
    argument: 'credentialId',
    options: { 'addresses?': 'allow only these address ranges, comma-separated, e.g. 192.0.2.0/24,2001:db8::/32' },
    flags: { any: 'allow any address' },
    changes: { reason: 'required' },
    async run(context) {
      const subject = required(context, 'credentialId')
      const addresses = readAddresses(context)
      if ((addresses === undefined) !== context.flag('any')) throw new UsageError('give either --addresses or --any')
      const details = { addresses: addresses ?? [] }
      await act(context, (trx) => setAddresses(trx, subject, details.addresses), { subject, details })
      return { credentialId: subject, addresses: addresses ?? 'any' }
    },
  },
  revoke: {
    summary: 'revoke a credential; takes effect within a second',
    argument: 'credentialId',
    changes: { reason: 'required' },
    async run(context) {
      const subject = required(context, 'credentialId')
      const revoked = await act(context, (trx) => revokeCredential(trx, subject), { subject })
      return { credentialId: subject, ...revoked }
    },
  },
}

/** @throws UsageError that names the first malformed range */
function readAddresses({ given }: CommandContext): string[] | undefined {
  if (given.addresses === undefined) return undefined
  const blocks = given.addresses.split(',').map((block) => block.trim())
  try {
    addressBlocks(blocks)
  } catch (error) {
    throw new UsageError(`--addresses: ${(error as Error).message}`)
  }
  return blocks
}
