import type { Evidence, Violation } from './violation.ts'

/**
 * I1 and the final status: our chargeback equals the dispute at the PSP, by the simulator's own tables and not by our
 * translation.
 */
export async function statusesTrue({ testbed, command, disputes }: Evidence): Promise<Violation[]> {
  const rows = await testbed.stack.db
    .selectFrom('chargeback')
    .select(['id', 'psp_status', 'status', 'round'])
    .where(
      'id',
      'in',
      disputes.map((one) => one.chargebackId),
    )
    .execute()
  return disputes.flatMap(({ adapter, reference, chargebackId }): Violation[] => {
    const found: Violation[] = []
    const engine = testbed.engines[adapter]
    const record = engine.find(reference)
    const row = rows.find((one) => one.id === chargebackId)
    if (!row || !record) return [{ invariant: 'I1', chargebackId, sentence: 'the chargeback is missing' }]
    const truth = engine.profile.situations.filter((one) => one.word === record.word).map((one) => one.status)
    if (!truth.includes(row.psp_status as (typeof truth)[number]))
      found.push({ invariant: 'I1', chargebackId, sentence: `${row.psp_status} here, ${record.word} at the PSP` })
    const end = command === 'acceptance' ? 'not_represented' : 'pending_psp_results'
    if (row.status !== end)
      found.push({ invariant: 'I4', chargebackId, sentence: `its status is ${row.status}, not ${end}` })
    if (row.round !== 1) found.push({ invariant: 'I4', chargebackId, sentence: `it is in round ${row.round}` })
    return found
  })
}
