import { withoutNulls } from '../core/without-nulls.ts'
import type { IntegrationDetails } from './integration-details.ts'
import type { IntegrationRecord } from './integrations.ts'

const textOf = (time: Date | null) => time?.toISOString() ?? null

/** An integration in the fields of the interface; unknown values are omitted. */
export const integrationFields = (record: IntegrationRecord) =>
  withoutNulls({
    ...record,
    statusChangedAt: record.statusChangedAt.toISOString(),
    goLiveDate: textOf(record.goLiveDate),
    lastPolledAt: textOf(record.lastPolledAt),
    lastNotificationAt: textOf(record.lastNotificationAt),
  })

/** What `expand=details` adds to an integration, under the names of the interface. */
export const detailFields = ({ deactivation, createdAt, ...details }: IntegrationDetails, notificationUrl: string) =>
  withoutNulls({
    ...details,
    createdAt: createdAt.toISOString(),
    secretReplacedAt: textOf(details.secretReplacedAt),
    lastSuccessAt: textOf(details.lastSuccessAt),
    deactivation: deactivation && { type: deactivation.type, date: deactivation.date.toISOString() },
    notificationUrl,
  })
