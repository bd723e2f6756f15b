import { sql } from 'kysely'
import {
  type CompellingEvidence,
  compellingEvidence,
  compellingEvidenceApplies,
} from '../../domain/assessment/compelling-evidence.ts'
import { EVIDENCE_SIGNALS } from '../../domain/assessment/defaults.ts'
import type { CardScheme } from '../../domain/chargeback.ts'
import { claimedSignals } from '../../domain/data-points.ts'
import type { Database } from '../core/connect.ts'
import type { KeyRing } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { WANTED_NOW } from '../packages/wanted.ts'
import { type ChargebackData, disputedPurchase, earlierPurchases, loadChargebackData } from './chargeback-data.ts'
import { recomputeChargebacks } from './recompute.ts'

export interface DataChange {
  now: Date
  /** Who or what added or removed the data, for the timeline. */
  source: string
  /** Timeline event, in a few words. */
  what: string
  /** Further timeline details: names and ids, never values. */
  cause?: Readonly<Record<string, string | readonly string[]>>
  /** Chargebacks that get a timeline row even if no name was added or removed, because a value changed. */
  touched?: readonly string[]
  /** When the purchase was made, if the change is about one: it is no earlier purchase of chargebacks that were posted before. */
  purchasedAt?: Date | null
}

/**
 * Recomputes what depends on the stored data of chargebacks: names of the data points present, whether a transaction
 * was joined, proven facts, then the decision. Call it in the transaction of each change of such data, removals
 * included. All that may name the data in their evidence want a package. A constant number of statements.
 * @returns the number of changed chargebacks
 */
export function refreshChargebackData(
  db: Database,
  ring: KeyRing,
  chargebackIds: readonly string[],
  change: DataChange,
): Promise<number> {
  if (chargebackIds.length === 0) return Promise.resolve(0)
  return inTransaction(db, async (trx) => {
    const all = await loadChargebackData(trx, ring, { chargebackIds }, true)
    const evidence = await compellingEvidenceOf(trx, ring, all)
    const changes = all.flatMap((data) => {
      const next = dataOf(data, evidence.get(data.id)?.eligible ?? false)
      const changed = !same(data, next)
      const told = changed || (change.touched?.includes(data.id) ?? false)
      return told || mayName(data, change) ? [{ id: data.id, changed, told, ...next }] : []
    })
    if (changes.length === 0) return 0
    await write(trx, changes, change)
    const changed = changes.filter((one) => one.changed).map((one) => one.id)
    const { now, source } = change
    if (changed.length > 0) await recomputeChargebacks(trx, { chargebackIds: changed }, { now, source })
    return changed.length
  })
}

/** Earlier purchases are evidence under one reason code alone; plays that name earlier payments look again by themselves. */
const mayName = ({ postingDate, cardScheme, reasonCode }: ChargebackData, { purchasedAt }: DataChange) =>
  purchasedAt === undefined ||
  (compellingEvidenceApplies(cardScheme, reasonCode) && !(purchasedAt && postingDate && purchasedAt > postingDate))

/** Compelling evidence of open chargebacks, by chargeback; at most one statement. */
async function compellingEvidenceOf(
  db: Database,
  ring: KeyRing,
  all: readonly ChargebackData[],
): Promise<Map<string, CompellingEvidence>> {
  const open = all.filter((data) => data.pspStatus === 'needs_response')
  const earlier = await earlierPurchases(db, ring, open)
  return new Map(
    open.map((data) => [
      data.id,
      compellingEvidence({
        cardScheme: data.cardScheme as CardScheme | null,
        reasonCode: data.reasonCode,
        postingDate: data.postingDate,
        disputed: disputedPurchase(data),
        earlier: earlier.get(data.id) ?? [],
      }),
    ]),
  )
}

interface Data {
  dataPoints: string[]
  isEnriched: boolean
  signals: string[]
}

/** Proven facts stay as they were once the chargeback can't be contested any more. */
function dataOf(data: ChargebackData, eligible: boolean): Data {
  const names = [...data.contextPoints, ...data.records.flatMap((one) => one.names), ...(data.client?.names ?? [])]
  const signals = new Set<string>(claimedSignals(data.client?.points ?? {}))
  if (eligible) signals.add('compelling_evidence')
  return {
    dataPoints: [...new Set(names)].sort(),
    isEnriched: data.hasContext || data.records.length > 0,
    signals: data.pspStatus === 'needs_response' ? EVIDENCE_SIGNALS.filter((one) => signals.has(one)) : data.signals,
  }
}

const same = (data: ChargebackData, next: Data) =>
  data.isEnriched === next.isEnriched &&
  data.signals.join() === next.signals.join() &&
  [...data.dataPoints].sort().join() === next.dataPoints.join()

async function write(
  db: Database,
  changes: (Data & { id: string; changed: boolean; told: boolean })[],
  { source, what, cause }: DataChange,
): Promise<void> {
  const rows = changes.map(({ id, changed, told, dataPoints, isEnriched, signals }) => ({
    ...{ id, changed, told },
    data_points: dataPoints,
    is_enriched: isEnriched,
    signals,
  }))
  await sql`
    with r as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(id uuid, changed boolean, told boolean, data_points text[], is_enriched boolean, signals text[])
    ), told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
      select c.merchant_uuid, c.id, ${source}, ${what},
        case when r.changed then jsonb_build_object('isEnriched', c.is_enriched, 'signals', c.signals) end,
        case when r.changed then jsonb_build_object('isEnriched', r.is_enriched, 'signals', r.signals,
          'added', array(select unnest(r.data_points) except select unnest(c.data_points) order by 1),
          'removed', array(select unnest(c.data_points) except select unnest(r.data_points) order by 1))
          else '{}' end || ${JSON.stringify(cause ?? {})}::jsonb
      from r join chargeback c using (id) where r.told order by c.id
    ), wanted as (
      update chargeback c set package_wanted_at = ${WANTED_NOW}
      from r where c.id = r.id and not r.changed and c.status = 'building_evidence'
    )
    update chargeback c set data_points = r.data_points, is_enriched = r.is_enriched, signals = r.signals,
      version = c.version + 1, updated_at = now()
    from r where c.id = r.id and r.changed`.execute(db)
}
