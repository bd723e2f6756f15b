import { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiDeps, ApiEnv } from './context.ts'
import { refuseInvalid } from './http/validation.ts'
import { acceptanceRoutes } from './routes/acceptances/acceptances.ts'
import { alertRoutes } from './routes/alerts/alerts.ts'
import { analyticsRoutes } from './routes/analytics/analytics.ts'
import { assessmentRoutes } from './routes/chargebacks/assessments.ts'
import { chargebackRoutes } from './routes/chargebacks/chargebacks.ts'
import { dataPointRoutes } from './routes/chargebacks/data-points.ts'
import { exportRoutes } from './routes/chargebacks/export.ts'
import { shouldFightRoutes } from './routes/chargebacks/should-fight.ts'
import { timelineRoutes } from './routes/chargebacks/timeline.ts'
import { eventRoutes } from './routes/events/events.ts'
import { evidenceDraftRoutes } from './routes/evidence/evidence-drafts.ts'
import { evidencePlanRoutes } from './routes/evidence/evidence-plans.ts'
import { evidenceSubmissionRoutes } from './routes/evidence/evidence-submissions.ts'
import { fileReadRoutes } from './routes/evidence/file-reads.ts'
import { fileRoutes } from './routes/evidence/files.ts'
import { integrationActRoutes } from './routes/integrations/integration-acts.ts'
import { integrationChangeRoutes } from './routes/integrations/integration-changes.ts'
import { integrationOptionRoutes } from './routes/integrations/integration-options.ts'
import { integrationRoutes } from './routes/integrations/integrations.ts'
import { dataSubjectRoutes } from './routes/merchants/data-subjects.ts'
import { meRoutes } from './routes/merchants/me.ts'
import { merchantRoutes } from './routes/merchants/merchants.ts'
import { rawDataRoutes } from './routes/raw-data/raw-data.ts'
import { scopePreviewRoutes } from './routes/scope/scope-preview.ts'
import { scopeSettingsRoutes } from './routes/scope/scope-settings.ts'
import { auditRoutes } from './routes/settings/audit.ts'
import { playbookRoutes } from './routes/settings/playbooks.ts'
import { settingsRoutes } from './routes/settings/settings.ts'
import { transactionRoutes } from './routes/transactions/transactions.ts'
import { webhookDeliveryRoutes } from './routes/webhooks/webhook-deliveries.ts'
import { webhookEndpointRoutes } from './routes/webhooks/webhook-endpoints.ts'

/** Every operation below /v1. The caller registers middleware in `before`. */
export function operations(deps: ApiDeps, before: (app: OpenAPIHono<ApiEnv>) => void = () => {}) {
  const app = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid })
  before(app)
  for (const routes of [
    exportRoutes(deps),
    analyticsRoutes(deps),
    chargebackRoutes(deps),
    dataPointRoutes(deps),
    transactionRoutes(deps),
    timelineRoutes(deps),
    eventRoutes(deps),
    assessmentRoutes(deps),
    acceptanceRoutes(deps),
    evidenceSubmissionRoutes(deps),
    evidencePlanRoutes(deps),
    evidenceDraftRoutes(deps),
    // Before the integrations, because `options` is no id.
    integrationOptionRoutes(deps),
    integrationRoutes(deps),
    integrationActRoutes(deps),
    integrationChangeRoutes(deps),
    scopeSettingsRoutes(deps),
    scopePreviewRoutes(deps),
    settingsRoutes(deps),
    playbookRoutes(deps),
    auditRoutes(deps),
    shouldFightRoutes(deps),
    merchantRoutes(deps),
    meRoutes(deps),
    alertRoutes(deps),
    rawDataRoutes(deps),
    fileRoutes(deps),
    fileReadRoutes(deps),
    dataSubjectRoutes(deps),
    webhookEndpointRoutes(deps),
    webhookDeliveryRoutes(deps),
  ])
    app.route('/', routes)
  return app
}
