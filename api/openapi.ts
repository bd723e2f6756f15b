import type { ApiDeps } from './context.ts'
import { operations } from './operations.ts'
import type { RateLimits } from './rate-limit.ts'
import { notificationRoutes } from './routes/notifications.ts'

const DESCRIPTION = `Chargebacks of a merchant's PSP accounts: read them, accept them, connect accounts.

Every operation takes a bearer token, save those that PSPs deliver notifications to. A token for a merchant group, and one for an account with several merchants, also
needs the header \`reference-account-id\`. Times are ISO 8601 in UTC, absent values are left out. Every error has the
shape of the schema \`Error\`; its \`code\` is stable, its \`errorId\` is for support.`

/** The description of the interface, from the definitions that the running service validates by. */
export function openApiDocument() {
  // The definitions need no database: nothing is handled here.
  const app = operations({} as ApiDeps)
  app.route('/', notificationRoutes({} as ApiDeps, {} as RateLimits))
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  })
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Recoup',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: '/v1' }],
    security: [{ bearer: [] }],
  })
}
