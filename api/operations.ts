import { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiDeps, ApiEnv } from './context.ts'
import { acceptanceRoutes } from './routes/acceptances.ts'
import { alertRoutes } from './routes/alerts.ts'
import { assessmentRoutes } from './routes/assessments.ts'
import { chargebackRoutes } from './routes/chargebacks.ts'
import { dataPointRoutes } from './routes/data-points.ts'
import { dataSubjectRoutes } from './routes/data-subjects.ts'
import { evidencePlanRoutes } from './routes/evidence-plans.ts'
import { evidenceSubmissionRoutes } from './routes/evidence-submissions.ts'
import { fileRoutes } from './routes/files.ts'
import { integrationChangeRoutes } from './routes/integration-changes.ts'
import { integrationRoutes } from './routes/integrations.ts'
import { merchantRoutes } from './routes/merchants.ts'
import { rawDataRoutes } from './routes/raw-data.ts'
import { scopeSettingsRoutes } from './routes/scope-settings.ts'
import { shouldFightRoutes } from './routes/should-fight.ts'
import { timelineRoutes } from './routes/timeline.ts'
import { transactionRoutes } from './routes/transactions.ts'
import { refuseInvalid } from './validation.ts'

/** Every operation below /v1; what runs before them is added by the caller through `before`. */
export function operations(deps: ApiDeps, before: (app: OpenAPIHono<ApiEnv>) => void = () => {}) {
  const app = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid })
  before(app)
  for (const routes of [
    chargebackRoutes(deps),
    dataPointRoutes(deps),
    transactionRoutes(deps),
    timelineRoutes(deps),
    assessmentRoutes(deps),
    acceptanceRoutes(deps),
    evidenceSubmissionRoutes(deps),
    evidencePlanRoutes(deps),
    integrationRoutes(deps),
    integrationChangeRoutes(deps),
    scopeSettingsRoutes(deps),
    shouldFightRoutes(deps),
    merchantRoutes(deps),
    alertRoutes(deps),
    rawDataRoutes(deps),
    fileRoutes(deps),
    dataSubjectRoutes(deps),
  ])
    app.route('/', routes)
  return app
}
