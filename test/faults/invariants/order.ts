import type { Connected } from '../testbed/connected.ts'
import type { Testbed } from '../testbed/prepare.ts'

/** I4: a dispute never returns to an earlier status of the PSP, because no dispute is reopened here. */
export async function statusNeverReturns({ stack }: Testbed, { integrationId }: Connected): Promise<string[]> {
  const rows = await stack.db
    .selectFrom('timeline_event as t')
    .innerJoin('chargeback as c', 'c.id', 't.chargeback_id')
    .select(['c.chargeback_id', 't.after'])
    .where('c.integration_id', '=', integrationId)
    .where('t.what', 'in', ['ingested', 'pspStatus changed'])
    .orderBy('t.timeline_event_id')
    .execute()
  const seen = new Map<string, string[]>()
  for (const { chargeback_id: reference, after } of rows) {
    const status = (after as { pspStatus?: string } | null)?.pspStatus ?? '?'
    seen.set(reference, [...(seen.get(reference) ?? []), status])
  }
  return [...seen]
    .filter(([, statuses]) => new Set(statuses).size < statuses.length)
    .map(([reference, statuses]) => `I4: ${reference} went ${statuses.join(' → ')}`)
    .slice(0, 3)
}
