import { z } from '@hono/zod-openapi'
import { type ColumnName, columnOf, jsonName, SHOWN } from '../../../db/chargebacks/column-sql.ts'
import type { Column } from '../../../db/chargebacks/columns.ts'
import { SCOPE_DIMENSIONS } from '../../../domain/scope.ts'
import { ids, referenceAccountId, timestamp } from '../../http/shapes.ts'

/** Fields shared with other resources. */
const SHARED: Record<string, z.ZodType> = { id: ids.chargeback, referenceAccountId }

function schemaOf({ kind }: Column): z.ZodType {
  const { words, range: [min, max] = [] } = kind
  if (words) return z.enum(words)
  if (kind.json === 'time') return timestamp
  if (kind.json === 'boolean') return z.boolean()
  if (kind.json !== 'number' && kind.json !== 'amount') return z.string()
  return min === undefined || max === undefined ? z.number() : z.number().min(min).max(max)
}

function shapeOf(name: ColumnName): z.ZodType {
  const column = columnOf(name)
  const schema = SHARED[jsonName(name)] ?? schemaOf(column)
  if (typeof column.shown !== 'string') return schema
  return (column.always ? schema : schema.optional()).openapi({ description: column.shown })
}

/** Derived from the column table (db/chargebacks/columns.ts), which also has the descriptions. */
export const chargeback = z
  .object(Object.fromEntries(SHOWN.map((name) => [jsonName(name), shapeOf(name)])))
  .openapi('Chargeback')

/** Fields of a decision about the scope. */
export const scopeDecision = {
  inScope: z.boolean().openapi({ description: 'Whether the chargeback is handled.' }),
  by: z.enum(['should_fight', 'scope_rule', 'contract']).openapi({ description: 'What decided it.' }),
  version: z.number().int().optional().openapi({ description: 'Of the out-of-scope rules.' }),
  dimension: z.enum(SCOPE_DIMENSIONS).optional().openapi({ description: 'Dimension of the rule that matched.' }),
  value: z.string().optional().openapi({ description: 'Value of the chargeback that the rule names.' }),
}

/** A chargeback of the list, with what `expand` adds. */
export const listedChargeback = chargeback
  .extend({
    scopeReason: z
      .object(scopeDecision)
      .optional()
      .openapi({ description: 'What decided whether it is in scope. With `expand=scopeReason`.' }),
    dueIn: z.number().int().optional().openapi({
      description: 'Seconds until the due date, negative after it. With `expand=dueIn`; absent without a due date.',
    }),
  })
  .openapi('ListedChargeback')

export const exampleChargeback = {
  id: '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10',
  chargebackId: 'du_1PgafTB7WZ01zgkW',
  referenceAccountId: 'demo-shop',
  integrationId: '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10',
  psp: 'stripe',
  currency: 'USD',
  amount: 10.99,
  postingDate: '2026-01-31T09:30:00.000Z',
  dueDate: '2026-02-14T23:59:59.000Z',
  pspStatus: 'needs_response',
  status: 'waiting_for_data',
  lifecycleStage: 'chargeback',
  reasonCode: '10.4',
  reason: 'fraudulent',
  cardScheme: 'visa',
  enrichmentRatio: 0.42,
  winProbability: 61.5,
  roiRecommendation: 'Fight',
  isEnriched: true,
  paymentMethod: 'card',
  cardLastFourDigits: '4242',
}
