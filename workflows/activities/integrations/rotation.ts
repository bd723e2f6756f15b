import { Context } from '@temporalio/activity'
import type { CredentialReport } from '../../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { keptVerification, withVerification } from '../../../adapters/shared/secret-fields.ts'
import { newestReference } from '../../../db/chargebacks/chargebacks.ts'
import { claimAccount } from '../../../db/integrations/account-claims.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import {
  endRotation,
  loadRotation,
  type OpenRotation,
  type RotationEnd,
} from '../../../db/integrations/secret-rotations.ts'
import { type Swap, swapSecret } from '../../../db/integrations/secret-swap.ts'
import type { ActivityDeps } from '../deps.ts'
import { type AtPsp, connectAtPsp, type OpenedSecret, openSecret } from '../psp.ts'
import { claimOf } from './verification.ts'

interface Refused {
  code: string
  reason: string
}
type Tried = { report: CredentialReport; secret: OpenedSecret } | Refused

const definite: readonly string[] = DEFINITE_KINDS

/**
 * Checks a candidate secret at the PSP and applies the result: the candidate replaces the old secret, or is refused and
 * erased while the old one stays. A PSP that does not respond is retried for as long as the client waits.
 */
export async function rotateSecret(
  deps: ActivityDeps,
  { rotationId }: { rotationId: string },
): Promise<{ outcome: string }> {
  const rotation = await loadRotation(deps.db, deps.ring, rotationId)
  const connection = rotation && (await loadConnection(deps.db, rotation.integrationId))
  if (!connection || connection.status === 'INACTIVE') return { outcome: 'withdrawn' }
  const { integrationId, source } = connection
  const tried = await tryCandidate(deps, connection, rotation)
  const end = 'code' in tried ? refused(tried) : await replace(deps, connection, rotation, tried)
  if (end.outcome !== 'replaced') await endRotation(deps.db, rotationId, end)
  const { outcome, code } = end
  deps.log.info({ integrationId, psp: source, rotationId, outcome, code }, 'secret rotation ended')
  return { outcome }
}

const refused = (why: Refused): RotationEnd => ({ outcome: 'refused', ...why })

class NotSwapped extends Error {}

/** Withdrawn when the client no longer waits, or the integration has changed since it was read. */
async function replace(
  deps: ActivityDeps,
  connection: Connection,
  { rotationId, integrationName }: OpenRotation,
  { report, secret }: { report: CredentialReport; secret: OpenedSecret },
): Promise<RotationEnd> {
  const old = openSecret(deps, connection)
  const fields = deps.adapterFor(connection.source, old.secretType)?.secrets[old.secretType]
  const claim = claimOf(deps, connection, report.pspAccount)
  const swap: Swap = {
    rotationId,
    integration: connection,
    integrationName,
    secretType: secret.secretType,
    secretPayload: secret.payload,
    kept: fields ? keptVerification(old.payload, secret.payload, fields) : null,
    report,
    newAccount: claim !== null && connection.claimedAccount === null,
  }
  try {
    return await deps.db.transaction().execute(async (trx): Promise<RotationEnd> => {
      const elsewhere = claim && (await claimAccount(trx, claim))
      if (elsewhere) return refused({ code: 'psp_account_connected', reason: elsewhere })
      // The claim on the account is rolled back with the transaction.
      if (!(await swapSecret(trx, deps.ring, swap))) throw new NotSwapped()
      return { outcome: 'replaced', code: null, reason: null }
    })
  } catch (error) {
    if (error instanceof NotSwapped) return { outcome: 'withdrawn', code: null, reason: null }
    throw error
  }
}

async function tryCandidate(deps: ActivityDeps, connection: Connection, rotation: OpenRotation): Promise<Tried> {
  const { secretType, secretPayload } = rotation
  const fields = deps.adapterFor(connection.source, secretType)?.secrets[secretType]
  const old = openSecret(deps, connection).payload
  const secret = { secretType, payload: fields ? withVerification(secretPayload, old, fields) : secretPayload }
  try {
    const caller = { priority: 'command' as const, signal: Context.current().cancellationSignal }
    const psp = connectAtPsp(deps, connection, caller, secret)
    const named = await psp.call(async (adapter) => adapter.confirmAccount?.() ?? null)
    if (named !== null && connection.pspAccount !== null && named !== connection.pspAccount)
      return other(connection, psp)
    const report = await psp.call((adapter) => adapter.checkCredentials())
    return (await faultOf(deps, connection, psp, report)) ?? { report, secret }
  } catch (error) {
    if (!(error instanceof PspError) || !definite.includes(error.kind)) throw error
    const code = error.kind === 'permission_missing' ? 'permission_missing' : 'secret_refused'
    return { code, reason: error.message }
  }
}

/** Why a secret that the PSP accepts is not valid for this integration. */
async function faultOf(
  deps: ActivityDeps,
  connection: Connection,
  psp: AtPsp,
  report: CredentialReport,
): Promise<Refused | null> {
  const { displayName } = psp.definition
  const wanted = deps.environment === 'production' ? 'live' : 'test'
  if (report.mode !== 'unknown' && report.mode !== wanted)
    return {
      code: 'other_environment',
      reason: `The new secret is a ${report.mode} one of ${displayName}; this environment takes ${wanted} ones. Send a ${wanted} secret of the same account.`,
    }
  const { pspAccount } = connection
  if (pspAccount !== null && report.pspAccount !== null)
    return pspAccount === report.pspAccount ? null : other(connection, psp)
  const { accountPermission } = report
  if (pspAccount !== null && accountPermission !== undefined)
    return unconfirmed(displayName, `Grant it the permission "${accountPermission}" and send it again.`)
  const proof = await readsItsDisputes(deps, connection, psp)
  if (proof === 'no dispute' && pspAccount !== null)
    return unconfirmed(displayName, 'Connect it as a separate integration.')
  return proof === 'refused' ? other(connection, psp) : null
}

/**
 * For PSPs that report no account: a secret that can read the integration's newest dispute belongs to its account.
 * Without any dispute there is nothing to mix up.
 */
async function readsItsDisputes(
  { db }: ActivityDeps,
  { integrationId }: Connection,
  psp: AtPsp,
): Promise<'read' | 'refused' | 'no dispute'> {
  const reference = psp.definition.capabilities.listing === 'inbox' ? null : await newestReference(db, integrationId)
  if (reference === null) return 'no dispute'
  try {
    await psp.call((adapter) => adapter.fetchDispute(reference))
    return 'read'
  } catch (error) {
    if (error instanceof PspError && definite.includes(error.kind)) return 'refused'
    throw error
  }
}

const unconfirmed = (displayName: string, wayOut: string): Refused => ({
  code: 'psp_account_unconfirmed',
  reason: `${displayName} does not tell which account the new secret belongs to. ${wayOut}`,
})

const other = ({ pspAccount }: Connection, { definition }: AtPsp): Refused => ({
  code: 'other_psp_account',
  reason:
    `The new secret belongs to another ${definition.displayName} account than this integration` +
    `${pspAccount === null ? '' : ` (${pspAccount})`}. Send one of the same account, or connect the other account as an ` +
    'separate integration.',
})
