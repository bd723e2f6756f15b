import { withoutNulls } from '../core/without-nulls.ts'
import type { EndpointRecord } from './endpoints.ts'

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
