import { randomUUID } from 'node:crypto'
import type { Database } from '../../db/core/connect.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { issueCredential } from '../../db/merchants/credentials.ts'
import { addToGroup, createGroup } from '../../db/merchants/groups.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import { addChargeback } from '../integration/api/chargebacks/chargeback-rows.ts'
import type { RecipeIds } from './recipes.ts'
import type { Send } from './requests.ts'
import { type PspAccount, stock } from './resources.ts'

/** A merchant with one resource of each kind. */
export interface Tenant {
  name: string
  accountId: string
  merchantUuid: string
  referenceId: string
  /** A merchant credential. */
  token: string
  ids: RecipeIds
}

/** A credential and the merchants that it can access. */
export interface Holder {
  name: string
  token: string
  scope: 'account' | 'group' | 'merchant'
  /** How many merchants its account has. */
  merchants: number
  reach: Tenant[]
}

export interface World {
  tenants: Tenant[]
  holders: Holder[]
  /** Token of an account to which tests may add merchants. */
  growing: string
  /** An unused chargeback. */
  freshChargeback(tenant: Tenant): Promise<string>
}

/** Three accounts: one with two merchants, one with one, one with none; and every kind of credential. */
export async function buildWorld(db: Database, ring: KeyRing, send: Send, account?: PspAccount): Promise<World> {
  const issue = (of: Omit<Parameters<typeof issueCredential>[2], 'environment'>) =>
    issueCredential(db, ring, { environment: 'sandbox', ...of }).then(({ token }) => token)
  const accountOf = (name: string) => createAccount(db, { name }).then(({ accountId }) => accountId)

  async function tenant(name: string, accountId: string): Promise<Tenant> {
    const { merchantUuid, referenceId } = await createMerchant(db, ring, {
      accountId,
      merchantName: `Shop ${name}`,
      websiteUrl: 'https://example.com',
      contact: { email: `${name}@example.com`, firstName: 'Olga', lastName: 'Owner' },
      referenceId: `${name}-${randomUUID().slice(0, 8)}`,
    })
    const token = await issue({ accountId, scope: 'merchant', merchantUuid })
    const ids = await stock(db, ring, send, { merchantUuid, token }, account)
    return { name, accountId, merchantUuid, referenceId, token, ids }
  }

  const [many, one, none] = [await accountOf('Many'), await accountOf('One'), await accountOf('None')]
  const [a, b, c] = [await tenant('a', many), await tenant('b', many), await tenant('c', one)]
  const { groupId: ofA } = await createGroup(db, { accountId: many, name: 'A alone' })
  const { groupId: ofC } = await createGroup(db, { accountId: one, name: 'C' })
  await addToGroup(db, { groupId: ofA, merchantUuid: a.merchantUuid })
  await addToGroup(db, { groupId: ofC, merchantUuid: c.merchantUuid })
  const holder = async (
    name: string,
    of: Parameters<typeof issue>[0],
    merchants: number,
    reach: Tenant[],
  ): Promise<Holder> => ({ name, token: await issue(of), scope: of.scope, merchants, reach })
  return {
    tenants: [a, b, c],
    holders: [
      await holder('account of two', { accountId: many, scope: 'account' }, 2, [a, b]),
      await holder('account of one', { accountId: one, scope: 'account' }, 1, [c]),
      await holder('account of none', { accountId: none, scope: 'account' }, 0, []),
      await holder('group of one of two', { accountId: many, scope: 'group', groupId: ofA }, 2, [a]),
      await holder('group of the only one', { accountId: one, scope: 'group', groupId: ofC }, 1, [c]),
      await holder('merchant of two', { accountId: many, scope: 'merchant', merchantUuid: a.merchantUuid }, 2, [a]),
      await holder('only merchant', { accountId: one, scope: 'merchant', merchantUuid: c.merchantUuid }, 1, [c]),
    ],
    growing: await issue({ accountId: await accountOf('Growing'), scope: 'account' }),
    freshChargeback: ({ merchantUuid, ids }) => addChargeback(db, { merchantUuid, integrationId: ids.integration }),
  }
}
