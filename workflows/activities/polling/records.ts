import { loadChargebackData } from '../../../db/chargebacks/chargeback-data.ts'
import { changeDataPoints } from '../../../db/chargebacks/client-data.ts'
import { Refusal } from '../../../db/core/refusal.ts'
import { chargebacksNamed, type Ingestion, type IngestionStatus } from '../../../db/polling/ingestions.ts'
import type { DataPoints } from '../../../domain/data-points.ts'
import { provesRefund, RECORD_DATA_POINTS, type RecordType, withoutNulls } from '../../../domain/raw-data.ts'
import type { ActivityDeps } from '../deps.ts'

/** Result of applying one posted object. */
export interface Applied {
  status: Exclude<IngestionStatus, 'created'>
  /** A sentence for the client, unless the object was simply applied. */
  reason: string | null
}

/**
 * Adds a refund, check, action or note to the data points of every chargeback that it refers to, next to earlier
 * records of its type. Waits while there is no such chargeback.
 */
export async function joinRecord(
  deps: ActivityDeps,
  ingestion: Ingestion,
  record: Record<string, unknown>,
): Promise<Applied> {
  const { db } = deps
  const chargebackIds = await chargebacksNamed(db, ingestion)
  if (chargebackIds.length === 0) return { status: 'waiting', reason: 'No chargeback that it names has come yet.' }
  const refusals: string[] = []
  for (const chargebackId of chargebackIds) {
    try {
      await addRecord(deps, ingestion, chargebackId, record)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.push(error.message)
    }
  }
  if (refusals.length < chargebackIds.length) return { status: 'applied', reason: null }
  return { status: 'failed', reason: [...new Set(refusals)].join(' ') }
}

async function addRecord(
  { db, ring, now }: ActivityDeps,
  { merchantUuid, credentialId, dataType, dataSource, reference }: Ingestion,
  chargebackId: string,
  record: Record<string, unknown>,
): Promise<void> {
  const name = RECORD_DATA_POINTS[dataType as RecordType]
  const [data] = await loadChargebackData(db, ring, { chargebackIds: [chargebackId], merchantUuid }, true)
  const before = data?.client?.points[name]
  const records = typeof before === 'object' && !Array.isArray(before) ? before : {}
  const points: DataPoints = { [name]: { ...records, [reference]: withoutNulls(record) } }
  if (dataType === 'refunds' && provesRefund(record)) points.refundProof = reference
  await changeDataPoints(db, ring, { merchantUuid, chargebackId, credentialId, points, now: now(), source: dataSource })
}
