import { Context } from '@temporalio/activity'
import type { CredentialReport } from '../../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { enqueue } from '../../../db/core/outbox.ts'
import { type Claim, claimAccount } from '../../../db/integrations/account-claims.ts'
import { adoptChargebacks, adoptInbox } from '../../../db/integrations/adoption.ts'
import {
  type Connection,
  loadConnection,
  recordUnreachable,
  recordVerdict,
} from '../../../db/integrations/connections.ts'
import { holdsSecret } from '../../../db/integrations/secret-swap.ts'
import type { ActivityDeps } from '../deps.ts'
import { confirmedAccount, connectAtPsp } from '../psp.ts'

export interface Verdict {
  status: 'SUCCESSFUL' | 'FAILED' | 'INACTIVE'
  /** What the merchant can do about a refusal. */
  reason: string | null
}

/** Consecutive refusals after which an integration is FAILED, because a single one may be the PSP's error. */
const REFUSALS_TO_FAIL = 3
const definite: readonly string[] = DEFINITE_KINDS

/** Checks the credential at the PSP, and records the result and the schedule in one transaction. */
export async function checkCredentials(deps: ActivityDeps, input: { integrationId: string }): Promise<Verdict> {
  const connection = await loadConnection(deps.db, input.integrationId)
  if (!connection || connection.status === 'INACTIVE') return { status: 'INACTIVE', reason: null }
  let report: CredentialReport
  try {
    const psp = connectAtPsp(deps, connection, { priority: 'command', signal: Context.current().cancellationSignal })
    report = await psp.call((adapter) => adapter.checkCredentials())
  } catch (error) {
    if (!(error instanceof PspError) || !definite.includes(error.kind)) {
      if (error instanceof PspError) await recordUnreachable(deps.db, input.integrationId, error.message)
      throw error
    }
    const verdict: Verdict = { status: 'FAILED', reason: error.message }
    await record(deps, connection, verdict)
    return verdict
  }
  const refused = await assignAccount(deps, connection, report.pspAccount)
  const verdict: Verdict = refused ? { status: 'FAILED', reason: refused } : { status: 'SUCCESSFUL', reason: null }
  await record(deps, connection, verdict, refused ? undefined : report)
  return verdict
}

/**
 * Assigns the PSP account to the integration: one integration acts on an account. An integration that connects the
 * account after a deactivation adopts its chargebacks before its first poll could store them again.
 * @returns why the account can't be assigned; null when it is
 */
async function assignAccount(
  deps: ActivityDeps,
  connection: Connection,
  pspAccount: string | null,
): Promise<string | null> {
  const claim = claimOf(deps, connection, pspAccount)
  if (!claim) return null
  const { integrationId, subAccounts } = claim
  const refused = await deps.db.transaction().execute((trx) => claimAccount(trx, claim))
  if (refused) return refused
  for (const adopt of [adoptChargebacks, adoptInbox])
    while ((await adopt(deps.db, deps.ring, { integrationId, subAccounts })) > 0) Context.current().heartbeat()
  return null
}

/** The claim of an integration on the account that the PSP confirmed; null while it has confirmed none. */
export function claimOf(deps: ActivityDeps, connection: Connection, pspAccount: string | null): Claim | null {
  const definition = deps.adapterFor(connection.source, connection.secretType)
  const account = definition && confirmedAccount(definition, connection, pspAccount)
  if (!definition || !account) return null
  const { integrationId, merchantUuid, source } = connection
  const subAccounts = definition.disputeNames === 'sub_account' ? connection.merchantAccountCodes : []
  return { integrationId, merchantUuid, source, account, subAccounts }
}

async function record(
  deps: ActivityDeps,
  { integrationId, secretSealed }: Connection,
  verdict: Verdict,
  report?: CredentialReport,
): Promise<void> {
  const { status, reason } = verdict
  if (status === 'INACTIVE') return
  await deps.db.transaction().execute(async (trx) => {
    // The result for a replaced secret says nothing about the new one, which the next attempt checks.
    if (!(await holdsSecret(trx, integrationId, secretSealed)))
      throw new PspError('unavailable', 'the secret was replaced while it was checked')
    await recordVerdict(trx, integrationId, {
      status,
      reason,
      ...(report && { pspAccount: report.pspAccount, findings: report.findings }),
    })
    await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId } })
  })
}

/**
 * The PSP refused a poll's credential. After several consecutive refusals the integration becomes FAILED, its schedule
 * is paused and a verification starts, which alone can restore it.
 */
export async function recordRefusedCredential(
  deps: ActivityDeps,
  input: { integrationId: string },
): Promise<{ failed: boolean }> {
  const { integrationId } = input
  const connection = await loadConnection(deps.db, integrationId)
  if (connection?.status !== 'SUCCESSFUL' || connection.authenticationFailures < REFUSALS_TO_FAIL)
    return { failed: false }
  const failed = await deps.db.transaction().execute(async (trx) => {
    if (!(await holdsSecret(trx, integrationId, connection.secretSealed))) return false
    await recordVerdict(trx, integrationId, {
      status: 'FAILED',
      reason: connection.pollError ?? 'the PSP refused the credential',
    })
    await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId } })
    await enqueue(trx, { kind: 'verify_integration', payload: { integrationId } })
    return true
  })
  return { failed }
}
