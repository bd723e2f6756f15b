import { matches } from '../../../simulators/engine/match.ts'
import { requestOf } from '../testbed/psps.ts'
import { againstCallLog } from './call-log.ts'
import type { Evidence, Violation } from './violation.ts'

/** I10: for each dispute, ledger and timeline agree with the PSP's call log. */
export async function toldAsDone({
  testbed,
  command,
  disputes,
}: Pick<Evidence, 'testbed' | 'command' | 'disputes'>): Promise<Violation[]> {
  const { db } = testbed.stack
  const ids = disputes.map((one) => one.chargebackId)
  const kind = command === 'acceptance' ? 'acceptance' : 'evidence_submission'
  const request = command === 'acceptance' ? 'accept' : 'submit'
  const [rows, timeline] = await Promise.all([
    db
      .selectFrom('command as k')
      .leftJoin('psp_operation as o', (join) =>
        join.onRef('o.command_id', '=', 'k.command_id').on('o.effect', 'like', `${request}:%`),
      )
      .select(['k.chargeback_id', 'o.state', 'o.outcome'])
      .where('k.chargeback_id', 'in', ids)
      .where('k.kind', '=', kind)
      .execute(),
    db
      .selectFrom('timeline_event')
      .select(['chargeback_id', 'what', 'after'])
      .where('chargeback_id', 'in', ids)
      .where('what', 'like', `${kind.replace('_', ' ')} %`)
      .execute(),
  ])
  return disputes.flatMap(({ adapter, reference, chargebackId }) => {
    const { ledger } = testbed.engines[adapter]
    const row = rows.find((one) => one.chargeback_id === chargebackId)
    // Where the path names no dispute, calls about any dispute count.
    const { body: _, ...pattern } = requestOf(adapter, request, reference) ?? { path: '' }
    const ends = timeline
      .filter((one) => one.chargeback_id === chargebackId && /(succeeded|failed)$/.test(one.what))
      .map(({ what, after }) => ({ what, foundAtPsp: (after as Record<string, unknown> | null)?.foundAtPsp === true }))
    return againstCallLog({
      operation: row?.state ? { state: row.state, outcome: row.outcome } : null,
      ends,
      calls: ledger.calls.filter((call) => matches(pattern, call.method, call.path)).length,
      effects: ledger.effects.filter((one) => one.ref === reference && one.kind === command).length,
    }).map((sentence) => ({ invariant: 'I10' as const, chargebackId, sentence }))
  })
}
