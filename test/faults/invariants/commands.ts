import { effectName } from '../../../domain/dispute.ts'
import type { Evidence, Violation } from './violation.ts'

const ORDER = ['created', 'inProgress', 'succeeded', 'failed']

/**
 * I3: a request with a 2xx response completes. Each chargeback has exactly one command, and here it succeeds: no fault
 * of ours or on the way to the PSP is a reason to fail. I4: the status never goes back, an end never changes. I10: the
 * ledger of effects and the timeline report one effect.
 */
export async function commandsEnd({ testbed, command, disputes, clients, watch }: Evidence): Promise<Violation[]> {
  const { db } = testbed.stack
  const ids = disputes.map((one) => one.chargebackId)
  const kind = command === 'acceptance' ? 'acceptance' : 'evidence submission'
  const [commands, operations, timeline] = await Promise.all([
    db.selectFrom('command').selectAll().where('chargeback_id', 'in', ids).execute(),
    db.selectFrom('psp_operation').selectAll().execute(),
    db
      .selectFrom('timeline_event')
      .selectAll()
      .where('chargeback_id', 'in', ids)
      .orderBy('timeline_event_id')
      .execute(),
  ])
  return disputes.flatMap(({ chargebackId }): Violation[] => {
    const found: Violation[] = []
    const broken = (invariant: Violation['invariant'], sentence: string) =>
      void found.push({ invariant, chargebackId, sentence })
    const own = commands.filter((row) => row.chargeback_id === chargebackId)
    const client = clients.find((one) => one.dispute.chargebackId === chargebackId)
    const last = client?.statuses.at(-1)
    if (client && (last === undefined || last === null || last >= 300))
      broken('I3', `the client got ${JSON.stringify(client.statuses)}`)
    if (own.length !== 1) broken('I3', `${own.length} commands, not 1`)
    for (const row of own) {
      if (row.status !== 'succeeded')
        broken(
          'I3',
          `${row.status}${row.needs_attention ? `, flagged: ${row.attention_reason}` : ''}: ${row.error ?? ''}`,
        )
      if (row.needs_attention) broken('I3', 'flagged although it has ended')
      const states = watch.seen.get(row.command_id) ?? []
      const ranks = states.map(({ status }) => ORDER.indexOf(status))
      if (ranks.some((rank, index) => rank < (ranks[index - 1] ?? 0)))
        broken('I4', `its status went ${states.map(({ status }) => status).join(' → ')}`)
      const dispute = { source: row.source, pspAccount: row.psp_account, reference: row.reference }
      const effect = effectName(command === 'acceptance' ? 'accept' : 'submit', dispute, row.round)
      const operation = operations.find((one) => one.effect === effect)
      if (operation?.state !== 'confirmed') broken('I10', `the ledger of effects says ${operation?.state ?? 'nothing'}`)
    }
    for (const what of [`${kind} requested`, `${kind} succeeded`]) {
      const reported = timeline.filter((row) => row.chargeback_id === chargebackId && row.what === what).length
      if (reported !== 1) broken('I10', `the timeline reports ${reported} times: ${what}`)
    }
    return found
  })
}
