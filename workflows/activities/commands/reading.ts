import type { AdapterDefinition, RawObject } from '../../../adapters/contract.ts'
import { closedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import { inTransaction } from '../../../db/core/transaction.ts'
import { holderNow } from '../../../db/integrations/adoption.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import { findNews, storeChargebacks } from '../../../db/polling/ingest.ts'
import type { ActivityDeps } from '../deps.ts'
import { refusedAsData, sqlState } from '../failures.ts'
import { sha256, translate, withoutErasedOf } from '../polling/pages.ts'
import { projectChargeback } from '../polling/projection.ts'
import { accountOf, disputeAccount } from '../psp.ts'

/** Retries when the chargeback was changed between read and write. */
const TRIES = 5

/**
 * Stores an object that was read individually: a probe, a confirmation, a re-read after a notification. The next read
 * may be minutes away, so a conflict with another change of the chargeback is retried on the new row.
 */
export async function storeReading(
  deps: ActivityDeps,
  connection: Connection,
  definition: AdapterDefinition,
  raw: RawObject,
  readAt: Date,
  /** Whether it confirms an acceptance by Recoup. */
  accepted = false,
): Promise<void> {
  for (let left = TRIES; left > 0; left--)
    if (await storedOnce(deps, connection, definition, raw, { readAt, accepted })) return
}

/**
 * Stores an object that was read for a command. A value that the database rejects does not fail the command, which does
 * not depend on it; the next poll quarantines the object.
 */
export async function tryStoreReading(
  ...[deps, connection, definition, raw, readAt, accepted]: Parameters<typeof storeReading>
): Promise<void> {
  try {
    await storeReading(deps, connection, definition, raw, readAt, accepted)
  } catch (error) {
    if (!refusedAsData(error)) throw error
    const { integrationId } = connection
    deps.log.warn({ integrationId, reason: sqlState(error) }, 'storing a dispute failed')
  }
}

/** @returns false when the row was changed between read and write */
async function storedOnce(
  deps: ActivityDeps,
  began: Connection,
  definition: AdapterDefinition,
  raw: RawObject,
  { readAt, accepted }: { readAt: Date; accepted: boolean },
): Promise<boolean> {
  if (raw.reference === null) return true
  const connection = await connectionNow(deps, began, raw.reference)
  const hash = sha256(raw.text)
  const seen = [{ reference: raw.reference, hash }]
  const [news] = await findNews(deps.db, connection.integrationId, seen, definition.translationVersion)
  const [readable = raw] = news?.changed ? await withoutErasedOf(deps, connection, [raw]) : []
  const translation = news?.changed ? translate(definition, readable) : undefined
  if (!news || translation?.kind !== 'chargeback') return true
  const { stored } = news
  const { translationVersion } = definition
  const now = deps.now()
  const projected = projectChargeback({
    ...translation,
    stored,
    connection,
    closedCases: await closedCasesOf(deps.db, connection),
    account: accountOf(definition, connection),
    pspAccount: disputeAccount(definition, connection, translation.facts.merchantReferenceName),
    hash,
    readAt,
    now,
    translationVersion,
    inboxOnly: definition.capabilities.listing === 'inbox',
    accepted,
  })
  if (!projected) return true
  const kept = [{ reference: raw.reference, text: readable.text }]
  const { created, changed } = await inTransaction(deps.db, (trx) =>
    storeChargebacks(trx, deps.ring, connection.integrationId, {
      chargebacks: [projected.columns],
      raw: kept,
      timeline: projected.timeline,
      rulesVersion: connection.rulesVersion,
      now,
    }),
  )
  return created + changed > 0
}

/**
 * A command continues after its PSP account was disconnected and connected again. Its readings belong to the
 * integration that holds the chargeback now.
 */
async function connectionNow({ db }: ActivityDeps, began: Connection, reference: string): Promise<Connection> {
  const holder = await holderNow(db, began.integrationId, reference)
  return holder === began.integrationId ? began : ((await loadConnection(db, holder)) ?? began)
}
