import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { listChargebacks } from '../../../db/chargebacks/chargeback-list.ts'
import { chargebackNotFound, readChargeback } from '../../../db/chargebacks/chargebacks.ts'
import { readActionFacts } from '../../../db/chargebacks/possible-actions.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { isUnchanged } from '../../http/etag.ts'
import { readErrors, success, successVersioned } from '../../http/responses.ts'
import { conditional, envelope, hasMore, ids, paging, selector } from '../../http/shapes.ts'
import { EXPANSIONS, type Expansion, expanded, toActions } from './actions.ts'
import { chargeback, exampleChargeback, listedChargeback } from './chargeback-shape.ts'
import { chargebackVersion } from './chargeback-version.ts'
import { cursorPlace, readCursor, writeCursor } from './list-cursor.ts'
import { expand, filters, sorting, withFilterRules } from './list-query.ts'

const query = withFilterRules(
  z.object({
    limit: paging.limit,
    page: paging.page,
    ...filters,
    ...sorting,
    expand,
    cursor: z
      .string()
      .max(500)
      .optional()
      .openapi({
        description:
          'Instead of page: the nextCursor of the answer before, with the same filters and sort. The way to walk through ' +
          'everything; chargebacks that arrive meanwhile shift nothing.',
      }),
  }),
).refine(({ cursor, page }) => cursor === undefined || page === 1, {
  path: ['page'],
  message: 'Must not be given together with cursor',
  when: () => true,
})

const list = createRoute({
  method: 'get',
  path: '/chargebacks',
  operationId: 'listChargebacks',
  tags: ['Chargebacks'],
  summary: 'List chargebacks',
  description:
    'Posting date descending, chargebacks without one last, then id descending, unless `sort` names another order. Filters ' +
    'combine with and. Of several values of a filter any one matches: repeat the parameter, or separate values by commas.',
  request: { headers: selector, query },
  responses: {
    200: success(
      'A page of chargebacks',
      z
        .object({
          ...envelope,
          hasMore,
          data: z.array(listedChargeback).openapi({ description: 'The chargebacks of the page.' }),
          nextCursor: z.string().optional().openapi({ description: 'Present while hasMore is true.' }),
        })
        .openapi('ChargebackList'),
      { status: 200, message: 'Chargebacks retrieved', hasMore: false, data: [exampleChargeback] },
    ),
    ...readErrors,
  },
})

/** Of one chargeback: other fields than those of a list. */
const expandOne = z
  .string()
  .regex(new RegExp(`^(${EXPANSIONS.join('|')})(,(${EXPANSIONS.join('|')}))*$`), `Must be of ${EXPANSIONS.join(', ')}`)
  .transform((names) => names.split(',') as Expansion[])
  .optional()
  .openapi({
    type: 'string',
    pattern: `^(${EXPANSIONS.join('|')})(,(${EXPANSIONS.join('|')}))*$`,
    description: `Further fields, comma-separated: ${EXPANSIONS.join(', ')}.`,
    example: 'actions,reasonGroup',
  })

const read = createRoute({
  method: 'get',
  path: '/chargebacks/{id}',
  operationId: 'readChargeback',
  tags: ['Chargebacks'],
  summary: 'Read a chargeback',
  request: { headers: conditional, params: z.object({ id: ids.chargeback }), query: z.object({ expand: expandOne }) },
  responses: {
    ...successVersioned(
      'The chargeback',
      z
        .object({
          ...envelope,
          data: chargeback.extend(expanded).openapi('ChargebackDetails', { description: 'The chargeback.' }),
        })
        .openapi('ChargebackRead'),
      { status: 200, message: 'Chargeback retrieved', data: exampleChargeback },
    ),
    ...readErrors,
  },
})

export function chargebackRoutes({ db, ring, adapters, now = () => new Date() }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  /** Further fields, as the inside of a JSON object. */
  async function expansion(which: { merchantUuid: string; chargebackId: string }, names: readonly Expansion[]) {
    const at = now()
    const facts = await readActionFacts(db, { ...which, now: at })
    const definition = adapters.adapterFor(facts.source, facts.secretType)
    const fields = {
      ...(names.includes('reasonGroup') && { reasonGroup: facts.reasonGroup }),
      ...(names.includes('actions') && { actions: toActions(facts, definition, at) }),
    }
    return JSON.stringify(fields).slice(1, -1)
  }

  routes.openapi(list, async (c) => {
    const { limit, page, cursor, expand, sort, ...filter } = c.req.valid('query')
    const merchantUuid = c.get('merchantUuid')
    const place = cursorPlace(merchantUuid, { ...filter, ...(sort && { sort }) })
    const after = cursor === undefined ? null : readCursor(ring, cursor, place)
    const found = await listChargebacks(db, { merchantUuid, limit, page, after, filter, sort, expand })
    const next = found.hasMore && found.last ? `,"nextCursor":"${writeCursor(ring, found.last, place)}"` : ''
    // Postgres rendered the items as JSON: they are copied, not parsed and serialised again.
    const response = `{"status":200,"message":"Chargebacks retrieved","hasMore":${found.hasMore},"data":[${found.items}]${next}}`
    return c.body(response, 200, { 'content-type': 'application/json' }) as never
  })

  routes.openapi(read, async (c) => {
    const { id: chargebackId } = c.req.valid('param')
    if (!isUuid(chargebackId)) throw chargebackNotFound()
    const which = { merchantUuid: c.get('merchantUuid'), chargebackId }
    const { expand: further = [] } = c.req.valid('query')
    const plain = await readChargeback(db, which)
    const added = further.length === 0 ? '' : await expansion(which, further)
    if (isUnchanged(c, chargebackVersion(plain, added))) return c.body(null, 304) as never
    const item = added === '' ? plain : `${plain.slice(0, -1)},${added}}`
    const response = `{"status":200,"message":"Chargeback retrieved","data":${item}}`
    return c.body(response, 200, { 'content-type': 'application/json' }) as never
  })
  return routes
}
