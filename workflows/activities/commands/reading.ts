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

/** Times a reading is decided anew when its chargeback was changed meanwhile. */
const TRIES = 5

/**
 * Stores one object that was read on its own: a probe, a confirmation, a re-read after a hint. Nobody may come by to read
 * it again for minutes, so one that met another change of its chargeback is decided on the row as it is then.
 */
export async function storeReading(
  deps: ActivityDeps,
  connection: Connection,
  definition: AdapterDefinition,
  raw: RawObject,
  readAt: Date,
  /** It confirms an acceptance of ours. */
  accepted = false,
): Promise<void> {
  for (let left = TRIES; left > 0; left--)
    if (await storedOnce(deps, connection, definition, raw, { readAt, accepted })) return
}

/**
 * Stores what was read about a command. A value that the database refuses holds no command back, which neither looks at
 * it nor could mend it: the next poll puts the object aside, for all to see.
 */
export async function keepReading(
  ...[deps, connection, definition, raw, readAt, accepted]: Parameters<typeof storeReading>
): Promise<void> {
  try {
    await storeReading(deps, connection, definition, raw, readAt, accepted)
  } catch (error) {
    if (!refusedAsData(error)) throw error
    const { integrationId } = connection
    deps.log.warn({ integrationId, reason: sqlState(error) }, 'a dispute that was read can not be stored')
  }
}

/** @returns false when another change came between reading the row and writing it */
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

/** A command goes on when its account is given up and connected again; what it reads belongs where its chargeback is now. */
async function connectionNow({ db }: ActivityDeps, began: Connection, reference: string): Promise<Connection> {
  const holder = await holderNow(db, began.integrationId, reference)
  return holder === began.integrationId ? began : ((await loadConnection(db, holder)) ?? began)
}
