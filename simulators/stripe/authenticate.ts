import type { DisputeEngine } from '../engine/engine.ts'
import { badParameter, invalidKey, missingPermission, unreachableAccount } from './errors.ts'
import { ALL_PERMISSIONS, API_VERSION, FOREIGN_ACCOUNT, FOREIGN_KEY, PERMISSIONS, type Permission } from './keys.ts'

/** The caller, and the account. */
export interface Caller {
  key: string
  account: string
  permissions: readonly Permission[]
}

/** Key, API version and account of a request. @throws StripeRefusal 400, 401, 403 */
export function authenticate(engine: DisputeEngine, headers: Record<string, string>, permission: Permission): Caller {
  const key = keyOf(headers.authorization ?? '')
  const owner = engine.access.ownerOf(key)
  const permissions = PERMISSIONS.get(key) ?? (owner ? ALL_PERMISSIONS : undefined)
  if (permissions === undefined || owner === null) throw invalidKey(key)
  const version = headers['stripe-version']
  if (version !== undefined && version !== API_VERSION) {
    throw badParameter(
      'Stripe-Version',
      `Invalid Stripe API version: ${version}. This simulator speaks ${API_VERSION}.`,
    )
  }
  const home = key === FOREIGN_KEY ? FOREIGN_ACCOUNT : engine.profile.homeAccount
  const account = accountOf(engine, headers, owner ?? home)
  const caller = { key, account, permissions }
  demand(caller, permission, 'Read')
  return caller
}

/** @throws StripeRefusal 403 when the key lacks the permission */
export function demand({ key, account, permissions }: Caller, permission: Permission, verb = 'Read'): void {
  if (!permissions.includes(permission)) throw missingPermission(key, account, `${permission} ${verb}`)
}

/** Bearer, or the key as Basic user name, as curl -u sends it. */
function keyOf(authorization: string): string {
  const [scheme = '', value = ''] = authorization.split(' ')
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return ''
  return Buffer.from(value, 'base64').toString('utf8').split(':')[0] ?? ''
}

/** The account of the key, or the one that a header names: only a platform's key can access another account. */
function accountOf(engine: DisputeEngine, headers: Record<string, string>, own: string): string {
  const context = headers['stripe-context']
  const connected = headers['stripe-account']
  if (context !== undefined && connected !== undefined) {
    throw badParameter('Stripe-Account', 'Send either Stripe-Context or Stripe-Account, not both')
  }
  const account = context ?? connected ?? own
  if (account === own || (own === engine.profile.homeAccount && engine.access.exists(account))) return account
  throw unreachableAccount(account)
}
