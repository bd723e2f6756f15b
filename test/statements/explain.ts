import type pg from 'pg'
import { ACCOUNTS, idOf, type Size } from './fill.ts'
import type { Collected } from './sent.ts'

/** Cost of a statement, over all nodes of its plan. */
export interface Cost {
  /** Tables that were scanned completely. */
  scanned: string[]
  /** Rows that its scans read, including those that they dropped. */
  rows: number
  /** Pages that it read, from the cache or the disk. */
  pages: number
  ms: number
  /** Whether it ran; a statement that the data refuses, such as a second row with an id, is only planned. */
  ran: boolean
  plan: Node
}

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: Node[]
}

/** Runs a statement as the product's role, in its scope, with rows of `fill`, and rolls it back. */
export async function explain(client: pg.Client, statement: Collected, size: Size): Promise<Cost> {
  const values = statement.values.map((value) => filled(value, size))
  const attempt = async (options: string) => {
    await client.query('begin')
    try {
      const { rows } = await client.query(`explain (${options}format json) ${statement.text}`, values)
      return rows[0]['QUERY PLAN'][0] as { Plan: Node; 'Execution Time'?: number }
    } finally {
      await client.query('rollback')
    }
  }
  await client.query(`select set_config('recoup.scope', $1, false)`, [
    statement.scope === 'system' ? 'system' : `${idOf('account', 2)} ${idOf('merchant', 1)}`,
  ])
  const result = await attempt('analyze, buffers, ').catch((error: { code?: string }) => {
    if (/^(22|23|P0|42501)/.test(error.code ?? '')) return attempt('')
    throw error
  })
  const nodes = all(result.Plan)
  return {
    scanned: nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? ''),
    rows: nodes.reduce((sum, node) => sum + rowsRead(node), 0),
    pages: (result.Plan['Shared Hit Blocks'] ?? 0) + (result.Plan['Shared Read Blocks'] ?? 0),
    ms: result['Execution Time'] ?? 0,
    ran: result['Execution Time'] !== undefined,
    plan: result.Plan,
  }
}

const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)]

function rowsRead(node: Node): number {
  if (!/Scan/.test(node['Node Type']) || !(node['Relation Name'] ?? node['Index Name'])) return 0
  const each =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(each * (node['Actual Loops'] ?? 1))
}

/** Merchant 1 owns half of all rows, integration 1 most of them; the newest rows come first. */
function filled(value: string | null, { chargebacks }: Size): string | null {
  return (
    value?.replace(/<<(\w+):(-?\d+)>>/g, (_, kind: string, digits: string) => {
      const n = Number(digits)
      if (kind === 'time') return new Date(Date.now() + n * 60_000).toISOString()
      if (kind === 'du' || kind === 'ch' || kind === 'arn')
        return `${kind}${kind === 'arn' ? '' : '_'}${chargebacks - 10 * n}`
      if (kind === 'chargeback') return idOf('chargeback', chargebacks - 10 * n)
      if (kind === 'command') return idOf('command', chargebacks / 10 - n)
      if (kind === 'account') return idOf('account', 1 + (n % ACCOUNTS))
      if (kind === 'unknown') return `0190ffff-0000-7000-8000-${digits.padStart(12, '0')}`
      return idOf(kind as 'file', n)
    }) ?? null
  )
}
