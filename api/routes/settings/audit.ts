import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { withoutNulls } from '../../../db/core/without-nulls.ts'
import { AUDIT_SUBJECTS, type AuditEntry, readAudit } from '../../../db/settings/audit.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { dateTime, envelope, hasMore, id, paging, selector, timestamp } from '../../http/shapes.ts'
import { readCursor, writeCursor } from '../chargebacks/list-cursor.ts'

const values = (description: string) => z.record(z.string(), z.unknown()).optional().openapi({ description })

const entry = z
  .object({
    when: timestamp.openapi({ description: 'When it was recorded.' }),
    by: z.enum(['client', 'operator']).openapi({ description: 'A credential of the account, or the operator.' }),
    credentialId: id.optional().openapi({ description: 'The credential, where it was recorded.' }),
    credentialName: z.string().optional().openapi({ description: 'Its name; absent for one of another merchant.' }),
    what: z.string().openapi({ description: 'What was done, in short words.' }),
    subject: z.enum(AUDIT_SUBJECTS).openapi({ description: 'Kind of what it is about.' }),
    subjectId: id.openapi({ description: 'Id of what it is about.' }),
    before: values('What it was, where something changed.'),
    after: values('What it is since then, and further words. Never a secret.'),
  })
  .openapi('AuditEntry')

const list = createRoute({
  method: 'get',
  path: '/audit',
  operationId: 'listAudit',
  tags: ['Settings'],
  summary: 'List who did what',
  description:
    'What clients, people at the console and the operator did about chargebacks, integrations, rules, webhooks and ' +
    'settings of the merchant, newest first. What PSPs changed is in the timelines of chargebacks. Refusal beyond ' +
    'validation: 400 `invalid_cursor`.',
  request: {
    headers: selector,
    query: z.object({
      limit: paging.limit,
      since: dateTime.optional().openapi({ description: 'Entries from this time on.' }),
      credential: z
        .uuid('Must be a UUID')
        .toLowerCase()
        .optional()
        .openapi({ description: 'Only what the credential with this id did.' }),
      subject: z.enum(AUDIT_SUBJECTS).optional().openapi({ description: 'Only what is about this kind.' }),
      cursor: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .openapi({ description: 'The nextCursor of the page before, with the same filters.' }),
    }),
  },
  responses: {
    200: success(
      'A page of the trail',
      z
        .object({
          ...envelope,
          hasMore,
          nextCursor: z.string().optional().openapi({ description: 'Present while hasMore is true.' }),
          data: z.array(entry).openapi({ description: 'The entries, newest first.' }),
        })
        .openapi('Audit'),
      {
        ...{ status: 200, message: 'Audit retrieved', hasMore: false },
        data: [
          {
            ...{ when: '2026-01-31T09:30:00.000Z', by: 'client', what: 'acceptance requested' },
            ...{ credentialId: '0198c5a4-3333-7d60-9a55-2f4b1f6f7d10', credentialName: 'Jana' },
            ...{ subject: 'chargeback', subjectId: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10' },
          },
        ],
      },
    ),
    ...readErrors,
  },
})

export function auditRoutes({ db, ring }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(list, async (c) => {
    const { limit, cursor, ...filter } = c.req.valid('query')
    const { credential: credentialId, ...others } = filter
    const merchantUuid = c.get('merchantUuid')
    const place = ['audit-cursor', merchantUuid, JSON.stringify(Object.entries(filter).sort())]
    const after = cursor === undefined ? undefined : readCursor(ring, cursor, place)
    const found = await readAudit(db, { merchantUuid, ...others, credentialId, limit: limit + 1, after })
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const next = found.length > limit && last ? { nextCursor: writeCursor(ring, last.place, place) } : {}
    const response = { hasMore: found.length > limit, ...next, data: page.map(shown) }
    return c.json({ status: 200, message: 'Audit retrieved', ...response }, 200)
  })
  return routes
}

const shown = ({ at, place: _, before, after, credentialId, credentialName, ...rest }: AuditEntry) => ({
  when: at.toISOString(),
  ...rest,
  ...withoutNulls({ credentialId, credentialName, before, after }),
})
