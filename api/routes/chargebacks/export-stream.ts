import { type ChargebackPage, type ListRequest, listChargebacks } from '../../../db/chargebacks/chargeback-list.ts'
import { jsonName, SHOWN } from '../../../db/chargebacks/column-sql.ts'
import type { Database } from '../../../db/core/connect.ts'
import { currentScope, inScope } from '../../../db/core/scope.ts'
import { csvLine } from './csv.ts'

export type Format = 'csv' | 'ndjson'
export const CONTENT_TYPES: Record<Format, string> = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' }

/** Chargebacks of one statement: about 300 KB. */
const BATCH = 500

const COLUMNS = SHOWN.map(jsonName)

/** Bytes of a batch in a format. */
const WRITE: Record<Format, (page: ChargebackPage) => string> = {
  ndjson: ({ items }) => (items === '' ? '' : `${items}\n`),
  csv: ({ items }) =>
    items
      .split('\n')
      .filter(Boolean)
      .map((item) => {
        const chargeback = JSON.parse(item) as Record<string, unknown>
        return csvLine(COLUMNS.map((name) => chargeback[name]))
      })
      .join(''),
}
const HEAD: Record<Format, string> = { ndjson: '', csv: csvLine(COLUMNS) }

export interface Export {
  format: Format
  query: Pick<ListRequest, 'merchantUuid' | 'filter' | 'sort'>
  /** Called once: at the end, after a fault, or when the client has left. */
  onEnd(outcome: 'completed' | 'abandoned' | 'failed', fields: { rows: number; error?: unknown }): void
}

/**
 * The list from its beginning to its end. Each batch is read when the client has taken the one before: in between there is
 * no connection of the pool and one batch in memory. The first batch is read before the function returns.
 * @throws when the first batch can't be read
 */
export async function exportStream(
  db: Database,
  { format, query, onEnd }: Export,
): Promise<ReadableStream<Uint8Array>> {
  const scope = currentScope()
  if (scope === undefined) throw new Error('an export has a scope')
  const encoder = new TextEncoder()
  let rows = 0
  const read = (after: ListRequest['after']) =>
    inScope(scope, () => listChargebacks(db, { ...query, limit: BATCH, page: 1, after, separator: '\n' }))
  let next: ChargebackPage | null = await read(null)
  let ended = false
  const end: Export['onEnd'] = (outcome, fields) => {
    if (!ended) onEnd(outcome, fields)
    ended = true
  }
  let begun = false
  let last: ListRequest['after'] = null
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const page: ChargebackPage = next ?? (await read(last))
          // The client may have left while the batch was read.
          if (ended) return
          next = null
          last = page.last
          rows += page.count
          const text = `${begun ? '' : HEAD[format]}${WRITE[format](page)}`
          begun = true
          if (text !== '') controller.enqueue(encoder.encode(text))
          if (page.hasMore) return
          controller.close()
          end('completed', { rows })
        } catch (error) {
          end('failed', { rows, error })
          controller.error(error)
        }
      },
      cancel: () => end('abandoned', { rows }),
    },
    // Nothing is read in advance.
    { highWaterMark: 0 },
  )
}
