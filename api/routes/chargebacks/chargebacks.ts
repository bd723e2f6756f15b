import { createHash } from 'node:crypto'
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { type ChargebackFilter, type ListPosition, listChargebacks } from '../../../db/chargebacks/chargeback-list.ts'
import { chargebackNotFound, readChargeback } from '../../../db/chargebacks/chargebacks.ts'
import { readActionFacts } from '../../../db/chargebacks/possible-actions.ts'
import { open, seal } from '../../../db/core/seal.ts'
import { PSP_STATUSES, PSPS, STATUSES } from '../../../domain/chargeback.ts'
import { isUuid } from '../../../domain/ids.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { isUnchanged } from '../../http/etag.ts'
import { readErrors, success, successVersioned } from '../../http/responses.ts'
import { conditional, dateTime, envelope, hasMore, ids, ordered, paging, selector, text } from '../../http/shapes.ts'
import { EXPANSIONS, type Expansion, expanded, toActions } from './actions.ts'
import { chargeback, exampleChargeback } from './chargeback-shape.ts'

const score = (description: string) =>
  z
    .string()
    .regex(/^\d{1,3}(\.\d{1,20})?$/, 'Must be a number from 0 to 1')
    .refine((value) => Number(value) <= 1, 'Must be a number from 0 to 1')
    .optional()
    .openapi({ type: 'number', minimum: 0, maximum: 1, description })

const query = z
  .object({
    limit: paging.limit,
    page: paging.page,
    startDate: dateTime.optional().openapi({ description: 'Start of the range on the posting date, included.' }),
    endDate: dateTime.optional().openapi({ description: 'End of the range on the posting date, included.' }),
    chargebackId: text(255).optional().openapi({ description: 'Identifier set by the PSP.' }),
    psp: z.enum(PSPS).optional().openapi({ description: 'PSP in which the transaction was processed.' }),
    pspStatus: z.enum(PSP_STATUSES).optional().openapi({ description: 'Status in the PSP.' }),
    status: z.enum(STATUSES).optional().openapi({ description: 'Status in the service.' }),
    minEnrichmentScore: score('Smallest enrichmentRatio.'),
    maxEnrichmentScore: score('Largest enrichmentRatio.'),
    pspStatusChangeStartDate: dateTime
      .optional()
      .openapi({ description: 'Start of the range on the change of the PSP status, included.' }),
    pspStatusChangeEndDate: dateTime
      .optional()
      .openapi({ description: 'End of the range on the change of the PSP status, included.' }),
    cursor: z
      .string()
      .max(500)
      .optional()
      .openapi({
        description:
          'Instead of page: the nextCursor of the answer before, with the same filters. The way to walk through ' +
          'everything; chargebacks that arrive meanwhile shift nothing.',
      }),
  })
  .refine(...ordered('startDate', 'endDate'))
  .refine(...ordered('minEnrichmentScore', 'maxEnrichmentScore'))
  .refine(...ordered('pspStatusChangeStartDate', 'pspStatusChangeEndDate'))
  .refine(({ cursor, page }) => cursor === undefined || page === 1, {
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
  description: 'Posting date descending, chargebacks without one last, then id descending.',
  request: { headers: selector, query },
  responses: {
    200: success(
      'A page of chargebacks',
      z
        .object({
          ...envelope,
          hasMore,
          data: z.array(chargeback).openapi({ description: 'The chargebacks of the page.' }),
          nextCursor: z.string().optional().openapi({ description: 'Present while hasMore is true.' }),
        })
        .openapi('ChargebackList'),
      { status: 200, message: 'Chargebacks retrieved', hasMore: false, data: [exampleChargeback] },
    ),
    ...readErrors,
  },
})

const expand = z
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
  request: { headers: conditional, params: z.object({ id: ids.chargeback }), query: z.object({ expand }) },
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
    const { limit, page, cursor, ...filter } = c.req.valid('query')
    const place = cursorPlace(c.get('merchantUuid'), filter)
    const after = cursor === undefined ? null : readCursor(ring, cursor, place)
    const found = await listChargebacks(db, { merchantUuid: c.get('merchantUuid'), limit, page, after, filter })
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
    const item = further.length === 0 ? plain : `${plain.slice(0, -1)},${await expansion(which, further)}}`
    // Of the visible fields: the row's version also counts changes that clients don't see.
    if (isUnchanged(c, createHash('sha256').update(item).digest('base64url').slice(0, 22)))
      return c.body(null, 304) as never
    const response = `{"status":200,"message":"Chargeback retrieved","data":${item}}`
    return c.body(response, 200, { 'content-type': 'application/json' }) as never
  })
  return routes
}

/** A cursor is sealed for its merchant and filters, so it can't be used with others. */
function cursorPlace(merchantUuid: string, filter: ChargebackFilter): string[] {
  const digest = createHash('sha256')
    .update(JSON.stringify(Object.entries(filter).sort()))
    .digest('base64url')
  return ['chargeback-cursor', merchantUuid, digest]
}

const writeCursor = (ring: ApiDeps['ring'], { postingSort, id }: ListPosition, place: string[]) =>
  seal(ring, JSON.stringify([postingSort, id]), place)

function readCursor(ring: ApiDeps['ring'], cursor: string, place: string[]): ListPosition {
  try {
    const [postingSort, id] = JSON.parse(open(ring, cursor, place)) as [string, string]
    return { postingSort, id }
  } catch {
    throw new ApiError(400, 'invalid_cursor', 'cursor: not a nextCursor of this merchant and these filters')
  }
}
