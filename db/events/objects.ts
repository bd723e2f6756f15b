import type { EventSubject } from '../../domain/events/catalogue.ts'
import { alertFields } from '../alerts/alert-fields.ts'
import { readAlerts } from '../alerts/alerts.ts'
import { readChargebacks } from '../chargebacks/chargebacks.ts'
import { acceptanceFields, readAcceptances } from '../commands/acceptances.ts'
import type { Database } from '../core/connect.ts'
import { readTime } from '../core/time.ts'
import { readRemovals } from '../erasure/removals.ts'
import { readSubmissions, submissionFields } from '../evidence/submission-reads.ts'
import { integrationFields } from '../integrations/integration-fields.ts'
import { readIntegrations } from '../integrations/integrations.ts'
import { readOwnMerchant } from '../merchants/merchant-list.ts'
import { reportedFields } from '../webhooks/endpoint-fields.ts'
import { readReported } from '../webhooks/endpoints.ts'

type Reader = (db: Database, merchantUuid: string, ids: readonly string[]) => Promise<Map<string, string>>

const byId = <Row>(rows: readonly Row[], id: (row: Row) => string, fields: (row: Row) => object) =>
  new Map(rows.map((row) => [id(row), JSON.stringify(fields(row))]))

/** The objects of events by id, as JSON text, in the fields in which clients read them. */
const READERS: Record<EventSubject, Reader> = {
  chargeback: (db, merchantUuid, chargebackIds) => readChargebacks(db, { merchantUuid, chargebackIds }),
  acceptance: async (db, merchantUuid, acceptanceIds) =>
    byId(await readAcceptances(db, { merchantUuid, acceptanceIds }), (row) => row.acceptanceId, acceptanceFields),
  evidence_submission: async (db, merchantUuid, submitEvidenceIds) =>
    byId(
      await readSubmissions(db, { merchantUuid, submitEvidenceIds }),
      (row) => row.submitEvidenceId,
      submissionFields,
    ),
  alert: async (db, merchantUuid, alertIds) =>
    byId(await readAlerts(db, { merchantUuid, alertIds }), (row) => row.alert_id, alertFields),
  integration: async (db, merchantUuid, integrationIds) =>
    byId(await readIntegrations(db, { merchantUuid, integrationIds }), (row) => row.integrationId, integrationFields),
  merchant: async (db, merchantUuid, [id]) => {
    const found = id === merchantUuid && (await readOwnMerchant(db, { merchantUuid, now: await readTime(db) }))
    return found ? new Map([[merchantUuid, JSON.stringify(found)]]) : new Map()
  },
  data_subject_removal: async (db, merchantUuid, removalIds) =>
    byId(
      await readRemovals(db, { merchantUuid, removalIds }),
      (row) => row.removalId,
      (row) => row,
    ),
  webhook_endpoint: async (db, merchantUuid, endpointIds) =>
    byId(await readReported(db, { merchantUuid, endpointIds }), (row) => row.endpointId, reportedFields),
}

/** Reads objects of one kind that the merchant has. */
export const readObjects = (
  db: Database,
  kind: EventSubject,
  { merchantUuid, ids }: { merchantUuid: string; ids: readonly string[] },
): Promise<Map<string, string>> => READERS[kind](db, merchantUuid, [...new Set(ids)])
