import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { type CredentialRole, permits } from '../../domain/accounts/credential.ts'
import type { ApiEnv } from '../context.ts'
import { ApiError } from '../http/errors.ts'

/**
 * The role that each operation needs. `read`: read everything. `work`: also decide about chargebacks and answer them.
 * `manage`: also connect and disconnect accounts, change rules, create merchants, erase persons.
 */
export const ROLE_OF: Readonly<Record<string, CredentialRole>> = {
  readMe: 'read',
  readDataPoints: 'read',
  listChargebacks: 'read',
  readChargeback: 'read',
  exportChargebacks: 'read',
  readSummary: 'read',
  readChargebackRatio: 'read',
  readTimeline: 'read',
  listEvents: 'read',
  readEvent: 'read',
  readAssessment: 'read',
  readAcceptance: 'read',
  readEvidenceSubmission: 'read',
  listEvidenceSubmissions: 'read',
  readFile: 'read',
  // It may show persons.
  readFileContent: 'work',
  // Its PDF needs `work`, as the content of the file.
  readEvidenceDraft: 'read',
  listAlerts: 'read',
  readAlert: 'read',
  listIntegrations: 'read',
  readIntegration: 'read',
  listIntegrationOptions: 'read',
  listQuarantine: 'read',
  readSettings: 'read',
  listPlaybooks: 'read',
  listAudit: 'read',
  readScopeSettings: 'read',
  listScopeOptions: 'read',
  listMerchants: 'read',
  readMerchant: 'read',
  readRawDataIngestion: 'read',
  listWebhookEndpoints: 'read',
  readWebhookEndpoint: 'read',
  listWebhookDeliveries: 'read',
  upsertTransaction: 'work',
  updateChargeback: 'work',
  decideShouldFight: 'work',
  acceptChargeback: 'work',
  planEvidence: 'work',
  submitEvidence: 'work',
  holdEvidenceDraft: 'work',
  uploadFile: 'work',
  deleteFile: 'work',
  createAlertOutcome: 'work',
  createIntegration: 'manage',
  updateIntegration: 'manage',
  deactivateIntegration: 'manage',
  pollIntegration: 'manage',
  pauseIntegration: 'manage',
  resumeIntegration: 'manage',
  replaceScopeSettings: 'manage',
  // As what it tries out, like `planEvidence`: only who may save rules needs it.
  previewScopeSettings: 'manage',
  previewSettings: 'manage',
  updateSettings: 'manage',
  createMerchant: 'manage',
  deactivateMerchant: 'manage',
  removeDataSubject: 'manage',
  uploadRawData: 'manage',
  // Where data goes.
  createWebhookEndpoint: 'manage',
  updateWebhookEndpoint: 'manage',
  deleteWebhookEndpoint: 'manage',
  rotateWebhookSecret: 'manage',
  testWebhookEndpoint: 'manage',
  replayWebhooks: 'manage',
}

/** @throws an Error: an operation without a role is not served */
export function roleOf(operationId: string | undefined): CredentialRole {
  const role = ROLE_OF[operationId ?? '']
  if (!role) throw new Error(`api/auth/roles.ts gives the operation ${operationId} no role`)
  return role
}

export type RoleCheck = (c: Context<ApiEnv>, caller: { role: CredentialRole }) => void

/** Rejects operations that the caller's role does not cover. Throws ApiError 403 permission_missing. */
export function requireRole(app: OpenAPIHono<ApiEnv>): RoleCheck {
  let needed: Map<string, CredentialRole> | undefined
  return (c, { role: own }) => {
    needed ??= rolesByRoute(app)
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
    const role = needed.get(`${method} ${c.get('route')}`)
    if (!role) throw new Error(`${method} ${c.get('route')} is not an operation with a role`)
    requirePermission(own, role)
  }
}

/** @throws ApiError 403 permission_missing */
export function requirePermission(own: CredentialRole, needed: CredentialRole): void {
  if (!permits(own, needed))
    throw new ApiError(
      403,
      'permission_missing',
      `This operation needs a credential with the role ${needed}; this one has ${own}.`,
    )
}

function rolesByRoute(app: OpenAPIHono<ApiEnv>): Map<string, CredentialRole> {
  return new Map(
    app.openAPIRegistry.definitions.flatMap((one) => {
      if (one.type !== 'route') return []
      const { method, path, operationId } = one.route
      return [[`${method.toUpperCase()} /v1${path}`, roleOf(operationId)] as const]
    }),
  )
}
