import { randomUUID } from 'node:crypto'

/** By operationId: operations on integrations, and on what Recoup does by itself. */
export const INTEGRATION_RECIPES = {
  listIntegrations: { status: 200, queryIds: { integrationId: 'integration' } },
  createIntegration: {
    status: 201,
    bodyIds: { parentIntegrationId: 'integration' },
    body: () => ({
      externalIdentifier: `acct_${randomUUID().slice(0, 8)}`,
      integrationName: 'Stripe Europe',
      source: 'stripe',
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: 'rk_test_generated4711' },
    }),
  },
  updateIntegration: {
    status: 200,
    path: { id: 'integration' },
    body: () => ({ integrationName: `Stripe ${randomUUID().slice(0, 8)}` }),
    malformedId: 400,
  },
  deactivateIntegration: {
    status: 200,
    path: { id: 'integration' },
    repeatsPath: ['integrationId'],
    body: () => ({ deactivationType: 'postingDate', deactivationDate: '2099-01-01T00:00:00Z' }),
    malformedId: 400,
  },
  readIntegration: { status: 200, path: { id: 'integration' }, malformedId: 400 },
  listIntegrationOptions: { status: 200 },
  pollIntegration: { status: 202, path: { id: 'integration' }, malformedId: 400 },
  pauseIntegration: { status: 200, path: { id: 'integration' }, malformedId: 400 },
  resumeIntegration: { status: 200, path: { id: 'integration' }, malformedId: 400 },
  readSettings: { status: 200 },
  listPlaybooks: { status: 200 },
  listAudit: { status: 200 },
  updateSettings: { status: 200, body: () => ({ automaticSubmission: { mode: 'auto', hoursBeforeDue: 48 } }) },
  previewSettings: { status: 200, body: () => ({ automaticSubmission: { mode: 'auto', hoursBeforeDue: 48 } }) },
  listQuarantine: { status: 200, path: { id: 'integration' }, malformedId: 400 },
} as const
