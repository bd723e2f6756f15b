import type { Translation } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import { claimAccount } from '../../../db/integrations/account-claims.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import type { ActivityDeps } from '../deps.ts'
import type { AtPsp } from '../psp.ts'

/**
 * Before new disputes are stored: checks that they belong to the integration's account. A key or a PSP account may have
 * changed hands since the verification, and its disputes must not appear in the wrong merchant's list. A poll without
 * new disputes makes no call.
 * @throws PspError auth_failed
 */
export async function checkAccount(
  deps: ActivityDeps,
  connection: Connection,
  psp: AtPsp,
  news: readonly Translation[],
): Promise<void> {
  if (news.length === 0) return
  if (psp.definition.disputeNames === 'account') return checkNamed(deps, connection, news)
  if (!psp.adapter.confirmAccount || connection.pspAccount === null || confirmed.has(psp)) return
  const account = await psp.call(async (adapter) => adapter.confirmAccount?.() ?? null)
  if (account !== null && account !== connection.pspAccount) throw otherAccount(account, connection.pspAccount)
  confirmed.add(psp)
}

/** One call per poll. */
const confirmed = new WeakSet<AtPsp>()

/** For a PSP that reports no account: the first dispute that names its account assigns it to the integration. */
async function checkNamed(deps: ActivityDeps, connection: Connection, news: readonly Translation[]): Promise<void> {
  for (const translation of news) {
    const named = translation.kind === 'chargeback' ? translation.facts.merchantReferenceName : null
    if (named === null || named === connection.claimedAccount) continue
    if (connection.claimedAccount !== null) throw otherAccount(named, connection.claimedAccount)
    const claim = { ...connection, account: named, subAccounts: [] }
    const refused = await deps.db.transaction().execute((trx) => claimAccount(trx, claim))
    if (refused) throw new PspError('auth_failed', refused)
    connection.claimedAccount = named
  }
}

const otherAccount = (found: string, wanted: string) =>
  new PspError(
    'auth_failed',
    `The credential belongs to the PSP account ${found} now, and this integration is for ${wanted}. Give it a credential of ${wanted}.`,
  )
