import { withoutNulls } from '../core/without-nulls.ts'
import type { EndpointRecord, ReportedEndpoint } from './endpoints.ts'

/** An endpoint as clients read it, in responses and events. Never with a secret. */
export function endpointFields(record: EndpointRecord) {
  const { endpointId, lastFailureAt, lastFailureStatus, lastFailureKind, createdAt, lastSuccessAt, ...rest } = record
  const failed = withoutNulls({ status: lastFailureStatus, kind: lastFailureKind })
  return {
    id: endpointId,
    ...withoutNulls(rest),
    createdAt: createdAt.toISOString(),
    ...(lastSuccessAt && { lastSuccessAt: lastSuccessAt.toISOString() }),
    ...(lastFailureAt && { lastFailure: { at: lastFailureAt.toISOString(), ...failed } }),
  }
}

/**
 * The same in an event. An endpoint of all merchants has its id and the origin of its address only, because the event goes
 * to receivers of a merchant. A deleted endpoint has no address.
 */
export const reportedFields = ({ ofAccount, ...record }: ReportedEndpoint) =>
  ofAccount ? { id: record.endpointId, url: record.url && new URL(record.url).origin } : endpointFields(record)
