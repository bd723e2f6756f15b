import { Context } from '@temporalio/activity'
import type { AdapterDefinition, Translation } from '../../../adapters/contract.ts'
import { inboxEntry, readPostedObject, recoupShapeOf } from '../../../adapters/raw-data.ts'
import { adapters } from '../../../adapters/registry.ts'
import { storeAlert } from '../../../db/alerts/alerts.ts'
import { upsertTransaction } from '../../../db/chargebacks/transactions.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import {
  earlierTexts,
  finishIngestion,
  type Ingestion,
  type IngestionStatus,
  isOutdated,
  restartIngestions,
  takeIngestion,
} from '../../../db/polling/ingestions.ts'
import { POSTED_TYPE, storeNotification } from '../../../db/polling/notifications.ts'
import type { AlertFacts } from '../../../domain/alert.ts'
import type { ChargebackFacts, Psp } from '../../../domain/chargeback.ts'
import { storeReading } from '../commands/reading.ts'
import type { ActivityDeps } from '../deps.ts'
import { refusedAsData } from '../failures.ts'
import { connectAtPsp } from '../psp.ts'
import type { Applied } from './records.ts'
import { joinRecord } from './records.ts'

/** Objects per run of the reconciler, and seconds after which an unapplied object may have lost its workflow run. */
const SLICE = 100
const QUIET_SECONDS = 10

const APPLIED: Applied = { status: 'applied', reason: null }
const failed = (reason: string): Applied => ({ status: 'failed', reason })

/** Applies one posted object, once: its effects and its result are one transaction. */
export async function applyRawData(
  deps: ActivityDeps,
  { ingestionId }: { ingestionId: string },
): Promise<{ status: IngestionStatus | 'done' }> {
  const ended = (how: (trx: ActivityDeps['db'], ingestion: Ingestion) => Promise<Applied>) =>
    deps.db.transaction().execute(async (trx) => {
      const ingestion = await takeIngestion(trx, deps.ring, ingestionId)
      if (!ingestion) return { status: 'done' as const }
      const end = await how(trx as unknown as ActivityDeps['db'], ingestion)
      await finishIngestion(trx, ingestionId, end)
      return { status: end.status }
    })
  try {
    return await ended((trx, ingestion) => apply({ ...deps, db: trx }, ingestion))
  } catch (error) {
    if (!refusedAsData(error)) throw error
    return ended(async () => failed('A value of it can not be stored: a date or a number out of range.'))
  }
}

/** Restarts posted objects without a workflow run, and records whose chargeback has arrived. */
export const reconcileIngestions = (deps: ActivityDeps): Promise<number> =>
  deps.environment === 'sandbox' ? restartIngestions(deps.db, QUIET_SECONDS, SLICE) : Promise.resolve(0)

async function apply(deps: ActivityDeps, ingestion: Ingestion): Promise<Applied> {
  const { text, dataSource, dataType } = ingestion
  if (text === null) return failed('It was erased.')
  if (await isOutdated(deps.db, ingestion))
    return { status: 'ignored', reason: 'An object with a later requestTimeStamp was applied.' }
  const connection = await loadConnection(deps.db, ingestion.integrationId)
  if (!connection || connection.status === 'INACTIVE') return failed('The integration is inactive.')
  if (dataType === 'transactions') {
    await storeTransaction(deps, ingestion, JSON.parse(text))
    return APPLIED
  }
  const definition = adapters().find((one) => one.source === dataSource)
  const read = readPostedObject({ dataSource, dataType, text, definition })
  switch (read.kind) {
    case 'refused':
      return failed(read.faults.join('; '))
    case 'record':
      return joinRecord(deps, ingestion, JSON.parse(text))
    case 'alert':
      await storeWarning(deps, ingestion, read.facts)
      return APPLIED
    case 'chargeback':
      return storeDispute(deps, ingestion, connection, { ...read, text, definition: read.own ? definition : undefined })
  }
}

const storeTransaction = (
  { db, ring, now }: ActivityDeps,
  { merchantUuid, dataSource }: Ingestion,
  record: { transactionId: string },
) => upsertTransaction(db, ring, { merchantUuid, record, now: now(), source: dataSource })

/** The issuer's fraud report belongs to the transaction as well. */
async function storeWarning(deps: ActivityDeps, ingestion: Ingestion, facts: AlertFacts): Promise<void> {
  await storeAlert(deps.db, ingestion, facts)
  const { transactionId, fraudType } = facts
  if (transactionId === null || fraudType === null) return
  const record = { transactionId, transactionEarlyFraudWarningFraudType: fraudType }
  await storeTransaction(deps, ingestion, record)
}

interface PostedDispute {
  reference: string
  facts: ChargebackFacts
  text: string
  /** Definition of the source whose format the object has; absent for the Recoup format. */
  definition: AdapterDefinition | undefined
}

/** Stores a dispute where its integration's adapter reads it: in the inbox, or as a reading of the PSP. */
async function storeDispute(
  deps: ActivityDeps,
  ingestion: Ingestion,
  connection: Connection,
  posted: PostedDispute,
): Promise<Applied> {
  const { dataSource, integrationId, ingestionId } = ingestion
  const { definition, reference, text } = posted
  const psp = connectAtPsp(deps, connection, { priority: 'command', signal: Context.current().cancellationSignal })
  const deliver = (body: string, references: string[]) => {
    const notification = { integrationId, notificationId: `raw:${ingestionId}`, type: POSTED_TYPE, references, body }
    return storeNotification(deps.db, deps.ring, notification, { reread: false })
  }
  if (psp.definition.capabilities.rawData) {
    const facts = await factsOf(deps, ingestion, posted)
    if (typeof facts === 'string') return failed(facts)
    const rawData = definition ? recoupShapeOf(facts, dataSource) : JSON.parse(text)
    await deliver(inboxEntry({ dataSource, requestTimeStamp: ingestion.requestTimeStamp.toISOString(), rawData }), [
      reference,
    ])
    return APPLIED
  }
  if (psp.definition.capabilities.listing === 'inbox' && definition?.joinPosted) {
    const body = definition.joinPosted([text])
    const { references } = psp.adapter.readNotification?.({ id: ingestionId, type: POSTED_TYPE, body }) ?? {
      references: [],
    }
    await deliver(body, references)
    return APPLIED
  }
  const facts = { ...posted.facts, psp: dataSource as Psp }
  const toChargeback = (): Translation => ({ kind: 'chargeback', facts, anomalies: [] })
  await storeReading(deps, connection, { ...psp.definition, toChargeback }, { reference, text }, deps.now())
  return APPLIED
}

/**
 * Where a PSP reports a dispute in several messages, all posted ones count. @returns a sentence when they can't be read
 */
async function factsOf(
  { db, ring }: ActivityDeps,
  ingestion: Ingestion,
  { definition, facts, text }: PostedDispute,
): Promise<ChargebackFacts | string> {
  if (!definition?.joinPosted) return facts
  const own = (await earlierTexts(db, ring, ingestion)).filter((one) => !('chargebackId' in JSON.parse(one)))
  const translation = definition.toChargeback({ reference: null, text: definition.joinPosted([...own, text]) })
  return translation.kind === 'chargeback' ? translation.facts : translation.reason
}
