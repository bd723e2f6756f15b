import type { Dispute, Testbed } from '../testbed/prepare.ts'

/** Facts of Recoup and the PSP about a chargeback whose cell failed, one line each, to show where it went wrong. */
export async function storyOf(testbed: Testbed, { adapter, reference, chargebackId }: Dispute): Promise<string[]> {
  const { db } = testbed.stack
  const [row, timeline, operations] = await Promise.all([
    db
      .selectFrom('chargeback')
      .select(['psp_status', 'status', 'psp_status_change_date', 'read_at', 'version'])
      .where('id', '=', chargebackId)
      .executeTakeFirst(),
    db
      .selectFrom('timeline_event')
      .selectAll()
      .where('chargeback_id', '=', chargebackId)
      .orderBy('timeline_event_id')
      .execute(),
    db
      .selectFrom('psp_operation')
      .innerJoin('command', 'command.command_id', 'psp_operation.command_id')
      .select(['effect', 'state', 'attempts', 'outcome', 'last_sent_at'])
      .where('command.chargeback_id', '=', chargebackId)
      .execute(),
  ])
  const { ledger } = testbed.engines[adapter]
  const text = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
  return [
    `ours: ${text(row)}`,
    ...timeline.map(
      (one) => `${one.when.toISOString()} ${one.source}: ${one.what} ${text(one.before)} → ${text(one.after)}`,
    ),
    ...operations.map((one) => `effect: ${text(one)}`),
    ...ledger.effects.filter((one) => one.ref === reference).map((one) => `at the PSP: ${text(one)}`),
    ...ledger.calls
      .filter((one) => one.path.includes(reference))
      .map((one) => `call: ${one.when} ${one.method} ${one.path} ${one.outcome} ${one.status}`),
  ]
}
