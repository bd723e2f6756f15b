import type { CredentialRole } from '../../domain/accounts/credential.ts'
import { roleOf } from '../auth/roles.ts'
import type { ApiDeps } from '../context.ts'
import type { RateLimits } from '../limits/rate-limit.ts'
import { operations } from '../operations.ts'
import { describeEvents } from '../routes/events/webhook-bodies.ts'
import { notificationRoutes } from '../routes/notifications/notifications.ts'

const DESCRIPTION = `Chargebacks of a merchant's PSP accounts: connect accounts, read chargebacks, accept or contest them.

Every operation takes a bearer token, save those that PSPs deliver notifications to. A token for a merchant group, and one
for an account with several merchants, also needs the header \`reference-account-id\`. A token has a role:
\`read\` looks at everything, \`work\` also decides about chargebacks and answers them, \`manage\` does all; an operation
beyond the role is answered with 403 \`permission_missing\`. Times are ISO 8601 in UTC, absent
values are left out. Bodies are UTF-8; \`Content-Encoding: gzip\` is accepted, and used for those who accept it. Unknown
parameters and fields are refused, and so is a body where none is taken. Every error has the shape of the schema \`Error\`; its \`code\` is stable, its \`errorId\` is for support.
An unknown path answers 404 \`path_not_found\`, a known one with another method 405 \`method_not_allowed\` and \`Allow\`.`

/** Tags of the operations, in the order of the reference page. */
const TAGS = {
  Chargebacks: 'What PSPs raised against the merchant, and what is known about it.',
  Events: 'What happened, in order: the log, and the bodies of webhooks.',
  Analytics: 'Sums of chargebacks.',
  Transactions: 'Purchases that give context to chargebacks.',
  Acceptance: 'Giving a dispute up, in the background.',
  Evidence: 'Contesting a dispute with a file, in the background.',
  Files: 'What evidence is made of.',
  Integrations: 'Connected PSP accounts.',
  'Scope settings': 'Rules that keep chargebacks of an integration aside.',
  Settings: 'What Recoup does by itself for a merchant, and who changed what.',
  Merchants: 'Merchants of the account.',
  'Pre-chargeback alerts': 'Early warnings, and what was done about them.',
  'Data subjects': 'Erasing a person.',
  Webhooks:
    'Events that are sent to the merchant. Each event is sent at least once, possibly twice, possibly after a later one: remember ' +
    '`webhook-id` for four days, keep the highest `sequence` of each object and ignore lower ones, respond with 2xx before you ' +
    'work on it, and read `GET /events` after an outage.',
  Sandbox: 'Data for trying out, in the sandbox environment only.',
  Notifications: 'Addresses for PSPs.',
}

/** The OpenAPI document, from the definitions that the service validates with. */
export function openApiDocument() {
  // The definitions need no database, because no request is handled.
  const app = operations({} as ApiDeps)
  app.route('/', notificationRoutes({} as ApiDeps, {} as RateLimits))
  describeEvents(app)
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  })
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Recoup',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/v1' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }],
  })
  for (const path of Object.values(document.paths ?? {})) for (const method of METHODS) describeRole(path[method])
  return document
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

interface Guarded {
  operationId?: string | undefined
  description?: string | undefined
  security?: object[] | undefined
  'x-role'?: CredentialRole
}

/** Adds the required role to the description of operations that need a token. */
function describeRole(operation: Guarded | undefined): void {
  if (!operation || operation.security?.length === 0) return
  const role = roleOf(operation.operationId)
  operation['x-role'] = role
  operation.description = `${operation.description ?? ''}\n\nRole: \`${role}\`.`.trimStart()
}
