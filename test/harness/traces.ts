import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { sql } from 'kysely'
import type { Stack } from './stack.ts'

/** Every history of the stack's namespace as text, payloads decoded, or the newest `limit`. */
export async function allHistories(
  stack: Stack,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ workflowId: string; json: string; text: string }[]> {
  const found: { workflowId: string; json: string; text: string }[] = []
  for await (const run of stack.temporal.workflow.list()) {
    if (found.length >= limit) break
    const handle = stack.temporal.workflow.getHandle(run.workflowId, run.runId)
    const json = historyToJSON(await handle.fetchHistory())
    const described = JSON.stringify((await handle.describe()).raw, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    found.push({
      workflowId: run.workflowId,
      json,
      text: `${json}\n${decodePayloads(json)}\n${described}\n${decodePayloads(described)}`,
    })
  }
  return found
}

/** The decoded base64 payloads in a text. */
function decodePayloads(text: string): string {
  return [...text.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g)]
    .map((match) => Buffer.from(match[1] as string, 'base64').toString('utf8'))
    .join('\n')
}

/** Every row of every table as text. */
export async function allRows(stack: Stack): Promise<{ table: string; text: string }[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(stack.db)
  const dumped: { table: string; text: string }[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(to_jsonb(t)::text, chr(10)) as text from ${sql.table(name)} t`.execute(stack.db)
    dumped.push({ table: name, text: rows[0]?.text ?? '' })
  }
  return dumped
}
