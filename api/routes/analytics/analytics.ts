import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { countByMonth } from '../../../db/analytics/ratio.ts'
import { DIMENSIONS, type Dimension, summarise } from '../../../db/analytics/summary.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, success } from '../../http/responses.ts'
import { envelope, selector, severalOf } from '../../http/shapes.ts'
import { wordFilters } from '../chargebacks/list-query.ts'
import { firstDay, MONTHS_ORDERED, months } from './analytics-query.ts'
import { lastMonths, ratio, toRatio } from './ratio-shape.ts'
import { toSummary } from './summary-response.ts'
import { exampleSummary, summary } from './summary-shape.ts'

const MOST_DIMENSIONS = 2

const readSummary = createRoute({
  method: 'get',
  path: '/analytics/summary',
  operationId: 'readSummary',
  tags: ['Analytics'],
  summary: 'Sums of chargebacks',
  description:
    'Numbers, amounts, win rates and value at risk of the merchant’s chargebacks, in total or by one or two dimensions. ' +
    'The sums are those of this moment: they change in the transaction that changes a chargeback.',
  request: {
    headers: selector,
    query: z
      .object({
        by: severalOf(Object.keys(DIMENSIONS) as Dimension[]).openapi({
          description: 'One or two dimensions of the groups; without it there is one group.',
          maxItems: MOST_DIMENSIONS,
        }),
        ...wordFilters,
        ...months,
      })
      .refine(({ by }) => (by?.length ?? 0) <= MOST_DIMENSIONS, {
        path: ['by'],
        message: `Must have at most ${MOST_DIMENSIONS} values`,
        when: () => true,
      })
      .refine(...MONTHS_ORDERED),
  },
  responses: {
    200: success(
      'The sums',
      z.object({ ...envelope, data: summary.openapi({ description: 'The sums.' }) }).openapi('SummaryRead'),
      { status: 200, message: 'Summary calculated', data: exampleSummary },
    ),
    ...readErrors,
  },
})

const readRatio = createRoute({
  method: 'get',
  path: '/analytics/ratio',
  operationId: 'readChargebackRatio',
  tags: ['Analytics'],
  summary: 'Chargebacks per transaction, by month',
  description:
    'Chargebacks of each month, by posting date, next to the transactions that operation 1 was told for it, by ' +
    'transactionCreatedDate. Only as good as that: a merchant that sends only the transactions of disputed customers has a ' +
    'ratio that no card scheme would recognise. Alerts, inquiries and claims don’t count.',
  request: { headers: selector, query: z.object(months).refine(...MONTHS_ORDERED) },
  responses: {
    200: success('The months', z.object({ ...envelope, data: ratio }).openapi('RatioRead'), {
      ...{ status: 200, message: 'Ratio calculated' },
      data: [{ month: '2026-01', transactions: 20_400, chargebacks: 96, ratio: 0.004706, ratioToMonthBefore: 0.00513 }],
    }),
    ...readErrors,
  },
})

export function analyticsRoutes({ db, now = () => new Date() }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(readSummary, async (c) => {
    const { by = [], startMonth, endMonth, ...words } = c.req.valid('query')
    const filter = {
      ...words,
      startMonth: startMonth && firstDay(startMonth),
      endMonth: endMonth && firstDay(endMonth),
    }
    const rows = await summarise(db, { merchantUuid: c.get('merchantUuid'), by, filter })
    return c.json({ status: 200, message: 'Summary calculated', data: toSummary(rows, by) }, 200)
  })

  routes.openapi(readRatio, async (c) => {
    const { first, last } = lastMonths(c.req.valid('query'), now())
    const rows = await countByMonth(db, {
      merchantUuid: c.get('merchantUuid'),
      first: firstDay(first),
      last: firstDay(last),
    })
    return c.json({ status: 200, message: 'Ratio calculated', data: toRatio(rows) }, 200)
  })
  return routes
}
