import { sql } from 'kysely'
import type { SecretType } from '../../domain/integration.ts'
import { isPausedByClient } from '../../domain/integration-problem.ts'
import type { Database } from '../core/connect.ts'

/** Where the count of chargebacks ends: to count a million takes too long for a page that is read every few seconds. */
export const MOST_COUNTED = 1_000

/** What a person who looks after an integration needs beyond its list row; no part of its secret. */
export interface IntegrationDetails {
  externalIdentifier: string
  secretType: SecretType
  /** The account at the PSP, as the PSP reported it. */
  pspAccount: string | null
  createdAt: Date
  /** Last replacement of the secret. */
  secretReplacedAt: Date | null
  paused: boolean
  pausedBy: 'client' | 'operator' | null
  /** End of the last poll that succeeded. */
  lastSuccessAt: Date | null
  /** MOST_COUNTED stands for that many or more. */
  chargebacks: number
  deactivation: { type: string; date: Date } | null
  /** What the PSP said about the credential's permissions when it was last checked. */
  permissions: { permission: string; state: string; hint: string }[]
}

interface Row extends Omit<IntegrationDetails, 'pausedBy' | 'deactivation' | 'permissions'> {
  integrationId: string
  pauseChangedBy: string | null
  deactivationType: string | null
  deactivationDate: Date | null
  findings: IntegrationDetails['permissions'] | null
}

/** Of those of the integrations that the merchant has, by their ids. */
export async function readIntegrationDetails(
  db: Database,
  { merchantUuid, integrationIds }: { merchantUuid: string; integrationIds: readonly string[] },
): Promise<Map<string, IntegrationDetails>> {
  const { rows } = await sql<Row>`
    select integration_id as "integrationId", external_identifier as "externalIdentifier", secret_type as "secretType",
      psp_account as "pspAccount", created_at as "createdAt", secret_replaced_at as "secretReplacedAt", paused,
      pause_changed_by as "pauseChangedBy", last_successful_poll_at as "lastSuccessAt", findings,
      deactivation_type as "deactivationType", deactivation_date as "deactivationDate",
      (select count(*) from (select from chargeback c where c.integration_id = i.integration_id limit ${MOST_COUNTED}) few)::int
        as chargebacks
    from integration i
    where merchant_uuid = ${merchantUuid} and integration_id = any(${[...integrationIds]}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ integrationId, pauseChangedBy, deactivationType: type, deactivationDate: date, findings, ...row }) => [
      integrationId,
      {
        ...row,
        pausedBy: row.paused ? (isPausedByClient(pauseChangedBy) ? 'client' : 'operator') : null,
        deactivation: type !== null && date !== null ? { type, date } : null,
        permissions: findings ?? [],
      },
    ]),
  )
}
