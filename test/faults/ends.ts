import { until } from '../harness/until.ts'
import type { CommandKind } from './steps.ts'
import type { Dispute, Testbed } from './testbed/prepare.ts'

/**
 * Checks every command, however it ends: it has ended, the PSP did not apply a `failed` one (I3), the PSP shows a
 * `succeeded` one, and there is at most one effect, of the right kind (I2, I5). Humans and clocks leave no effect in
 * the PSP's ledger: those in it are ours.
 */
export async function checkEnd(
  testbed: Testbed,
  dispute: Dispute,
  command: CommandKind,
  /** A human may have submitted what we staged. */
  submittedByHand = false,
): Promise<string[]> {
  const { adapter, reference, chargebackId } = dispute
  const engine = testbed.engines[adapter]
  const rows = await testbed.stack.db
    .selectFrom('command')
    .select(['status', 'error', 'attention_reason'])
    .where('chargeback_id', '=', chargebackId)
    .execute()
  const effects = engine.ledger.effects.filter((one) => one.ref === reference && one.kind !== 'upload')
  const word = engine.find(reference)?.word
  const shows = new Set(engine.profile.situations.filter((one) => one.word === word).map((one) => one.status))
  const why: string[] = []
  // No row: refused before anything was stored, because the due date had passed.
  if (rows.length > 1) why.push(`I3: ${rows.length} commands`)
  for (const { status, error, attention_reason } of rows) {
    if (status !== 'succeeded' && status !== 'failed') why.push(`I3: ${status}, ${attention_reason ?? 'not flagged'}`)
    if (status === 'failed' && !error) why.push('I3: failed without an error message for the merchant')
    if (status === 'failed' && effects.length > 0) why.push('I3: reported as failed although the PSP applied it')
    if (status !== 'succeeded') continue
    const done = command === 'acceptance' ? shows.has('lost') : submittedByHand && shows.has('under_review')
    if (effects.length === 0 && !done) why.push(`I3: reported as succeeded, but the PSP shows ${word}`)
  }
  if (effects.length > 1) why.push(`I2: ${effects.length} effects`)
  if (effects.some((one) => one.kind !== command)) why.push('I5: the PSP has an effect of the other kind')
  return why
}

/** Commands for these chargebacks, in any state. */
export const commandsOf = (testbed: Testbed, disputes: readonly Dispute[]) =>
  testbed.stack.db
    .selectFrom('command')
    .select('status')
    .where(
      'chargeback_id',
      'in',
      disputes.map(({ chargebackId }) => chargebackId),
    )
    .execute()

/** Waits until a command for each has ended. @throws on a time-out */
export async function allEnded(testbed: Testbed, disputes: readonly Dispute[], timeoutMs = 60_000): Promise<void> {
  await until('every command has ended', () => commandsOf(testbed, disputes), {
    holds: (rows) => rows.filter(({ status }) => /succeeded|failed/.test(status)).length >= disputes.length,
    timeoutMs,
  })
}
