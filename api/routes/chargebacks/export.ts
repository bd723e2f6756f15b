import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { accepts } from 'hono/accepts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { readErrors, successFile } from '../../http/responses.ts'
import { selector } from '../../http/shapes.ts'
import { CONTENT_TYPES, exportStream, type Format } from './export-stream.ts'
import { filters, sorting, withFilterRules } from './list-query.ts'

const exportChargebacks = createRoute({
  method: 'get',
  path: '/chargebacks/export',
  operationId: 'exportChargebacks',
  tags: ['Chargebacks'],
  summary: 'Export chargebacks',
  description:
    'All chargebacks that the filters select, with the fields of the list, as CSV or as one JSON object on each line. ' +
    'Without `format` the `Accept` header decides, and CSV is the default. In CSV the first line has the names; all cells are ' +
    'quoted, and text that a spreadsheet would run as a formula begins with an apostrophe. The response has no length: it ' +
    'is complete when it ends in order, and broken off when the service fails. A client that takes nothing for a minute is ' +
    'disconnected.',
  request: {
    headers: selector,
    query: withFilterRules(
      z.object({
        ...filters,
        ...sorting,
        format: z.enum(['csv', 'ndjson']).optional().openapi({ description: 'Overrides the `Accept` header.' }),
      }),
    ),
  },
  responses: {
    200: successFile('The chargebacks', {
      'text/csv': {
        schema: z.string(),
        example: '"id","chargebackId"\r\n"0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10","du_1"\r\n',
      },
      'application/x-ndjson': {
        schema: z.string().openapi({ description: 'On each line an object of the schema `Chargeback`.' }),
        example: '{"id":"0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10","chargebackId":"du_1"}\n',
      },
    }),
    ...readErrors,
  },
})

/** Types of the `Accept` header, CSV first. */
const FORMAT_OF: Record<string, Format> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
}

export function exportRoutes({ db, log }: ApiDeps) {
  const routes = new OpenAPIHono<ApiEnv>()
  routes.openapi(exportChargebacks, async (c) => {
    const { format: given, sort, ...filter } = c.req.valid('query')
    const accepted = accepts(c, { header: 'Accept', supports: Object.keys(FORMAT_OF), default: 'text/csv' })
    const format = given ?? FORMAT_OF[accepted] ?? 'csv'
    const requestId = c.get('requestId')
    const stream = await exportStream(db, {
      format,
      query: { merchantUuid: c.get('merchantUuid'), filter, sort },
      onEnd: (outcome, fields) =>
        log[outcome === 'failed' ? 'error' : 'info']({ requestId, ...fields }, `export ${outcome}`),
    })
    c.set('streams', true)
    return c.body(stream, 200, {
      'content-type': CONTENT_TYPES[format],
      'content-disposition': `attachment; filename="chargebacks.${format}"`,
    }) as never
  })
  return routes
}
