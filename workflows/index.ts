/** Everything that the workflow bundle holds. */
export { acceptChargeback } from './accept-chargeback.ts'
export { deactivateOnDate } from './deactivate-on-date.ts'
export { ingestRawData } from './ingest-raw-data.ts'
export { pollIntegration } from './poll-integration.ts'
export { reconcile } from './reconcile.ts'
export { reportDrift } from './report-drift.ts'
export { submitEvidence } from './submit-evidence.ts'
export { verifyIntegration } from './verify-integration.ts'
