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
  /** What to do about a refusal. */
  reason: string | null
}

/** Refusals in a row after which a poll's integration is FAILED: one may be the PSP's hiccup. */
const REFUSALS_TO_FAIL = 3
const definite: readonly string[] = DEFINITE_KINDS

/** Asks the PSP whether it takes the credential, and records the verdict with its schedule in one transaction. */
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
  const refused = await takeAccount(deps, connection, report.pspAccount)
  const verdict: Verdict = refused ? { status: 'FAILED', reason: refused } : { status: 'SUCCESSFUL', reason: null }
  await record(deps, connection, verdict, refused ? undefined : report)
  return verdict
}

/**
 * One integration acts on a PSP account. Whoever connects an account again after a deactivation gets its chargebacks with it,
 * before the first poll could store them a second time.
 * @returns why the account is not the integration's, null when it is
 */
async function takeAccount(
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
  await deps.reached('verify.after_adoption', integrationId)
  return null
}

/** What an integration claims with an account that the PSP confirmed; null while it has confirmed none. */
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
    // A verdict on a secret says nothing about the one that has taken its place: that is checked by the next attempt.
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
 * A poll was refused. After several in a row the integration is FAILED, its schedule paused and its verification
 * started, which alone can bring it back.
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
