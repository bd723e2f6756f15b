import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { type ContextPoints, setContextPoints } from '../../../db/chargebacks/context-points.ts'
import type { Database } from '../../../db/core/connect.ts'
import { eraseEndpoints } from '../../../db/erasure/erase-endpoints.ts'
import { eraseFacts } from '../../../db/erasure/erase-facts.ts'
import { markChargebacks, refreshMarked } from '../../../db/erasure/erase-marks.ts'
import { erasePackages } from '../../../db/erasure/erase-packages.ts'
import { erasePspTexts, type Redacted } from '../../../db/erasure/erase-psp-texts.ts'
import {
  eraseChargebackData,
  eraseFiles,
  eraseStoredResponses,
  eraseTransactions,
  heldByCommands,
} from '../../../db/erasure/erase-records.ts'
import {
  earlierTransactionsEnded,
  finishRemoval,
  noteErasure,
  quietRemovals,
  readTransactionMark,
  takeRemoval,
} from '../../../db/erasure/removals.ts'
import { loadConnection } from '../../../db/integrations/connections.ts'
import { removalWorkflowId } from '../../contract.ts'
import { startRemoval } from '../../starters/removal.ts'
import type { ActivityDeps } from '../deps.ts'
import { runState } from '../operations.ts'

/** ms between checks whether all earlier transactions have ended. */
const POLL_EVERY_MS = 100
/** A removal without activity for this long may have lost its workflow run. */
const QUIET_SECONDS = 30
const SLICE = 100

/** Result of a pass over all tables; `held`: rows that open submissions still need. */
export interface Erased {
  found: number
  held: number
}

/** Adds the person to the list that ingestion checks, and waits for transactions that read the list before. */
export async function listErased(deps: ActivityDeps, { removalId }: { removalId: string }): Promise<void> {
  const removal = await takeRemoval(deps.db, deps.ring, removalId)
  if (!removal) return
  await noteErasure(deps.db, removal.merchantUuid)
  const moment = await readTransactionMark(deps.db)
  while (!(await earlierTransactionsEnded(deps.db, moment))) {
    Context.current().heartbeat()
    await sleep(POLL_EVERY_MS, undefined, { signal: Context.current().cancellationSignal })
  }
}

/**
 * One pass over all stored data: marks the person's chargebacks, then erases table by table. A pass that finds nothing
 * verifies the previous one.
 */
export async function eraseSubject(deps: ActivityDeps, { removalId }: { removalId: string }): Promise<Erased> {
  const { db, ring } = deps
  const removal = await takeRemoval(db, ring, removalId)
  if (!removal) return { found: 0, held: 0 }
  const now = deps.now()
  let found = 0
  for (const step of [
    () => markChargebacks(db, ring, removal),
    () => eraseTransactions(db, ring, removal, now),
    () => eraseChargebackData(db, removal),
    () => eraseFacts(db, removal, 'chargeback'),
    () => eraseFacts(db, removal, 'alert'),
    () => eraseFiles(db, removal),
    () => eraseEndpoints(db, removal),
    () => eraseStoredResponses(db, ring, removal),
    () => erasePspTexts(db, ring, removal, 'rawObjects', (trx, left) => refreshContextPoints(deps, trx, left)),
    () => erasePspTexts(db, ring, removal, 'quarantine'),
    () => erasePspTexts(db, ring, removal, 'notifications'),
    () => erasePspTexts(db, ring, removal, 'ingestions'),
    () => erasePackages(db, removal),
  ]) {
    found += await step()
    Context.current().heartbeat({ found })
  }
  await refreshMarked(db, ring, removal, now)
  return { found, held: await heldByCommands(db, removal) }
}

/** Data points that the PSP's transactions still provide without the person. */
async function refreshContextPoints(deps: ActivityDeps, db: Database, left: Redacted[]): Promise<void> {
  const points: ContextPoints[] = []
  for (const { integrationId, kind, reference, text } of left) {
    if (kind !== 'context') continue
    const connection = await loadConnection(db, integrationId)
    const definition = connection && deps.adapterFor(connection.source, connection.secretType)
    const facts = text === '' ? undefined : definition?.toTransaction?.({ reference, text })
    points.push({ integrationId, reference, names: Object.keys(facts?.dataPoints ?? {}) })
  }
  await setContextPoints(db, points)
}

export async function recordRemoval(deps: ActivityDeps, { removalId }: { removalId: string }): Promise<void> {
  await finishRemoval(deps.db, removalId)
}

/** Restarts removals without a workflow run. */
export async function reconcileRemovals(deps: ActivityDeps): Promise<number> {
  let mended = 0
  for (const removalId of await quietRemovals(deps.db, QUIET_SECONDS, SLICE)) {
    if ((await runState(deps, removalWorkflowId(removalId))) === 'RUNNING') continue
    await startRemoval(deps, removalId)
    mended++
  }
  return mended
}
