/** Everything that the workflow bundle holds. */
export { acceptChargeback } from './accept-chargeback.ts'
export { pollIntegration } from './poll-integration.ts'
export { reconcile } from './reconcile.ts'
export { reportDrift } from './report-drift.ts'
export { verifyIntegration } from './verify-integration.ts'
