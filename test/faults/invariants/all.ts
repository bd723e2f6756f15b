import { commandsEnd } from './commands.ts'
import { bytesTrue, effectsOnce, keysOfAll } from './effects.ts'
import { nothingLeft } from './leftovers.ts'
import { statusesTrue } from './psp-status.ts'
import { toldAsDone } from './reported-effects.ts'
import type { Evidence, Violation } from './violation.ts'

/** Checks every invariant of commands. Call it when everything has finished. */
export async function brokenBy(evidence: Evidence): Promise<Violation[]> {
  const left = await nothingLeft(evidence)
  const refused = await refusedOf(evidence)
  const others = { ...evidence, disputes: evidence.disputes.filter((one) => !refused.has(one.chargebackId)) }
  if (others.disputes.length === 0) return [...left, ...refusedRightly(evidence, refused)]
  const found = await Promise.all([commandsEnd(others), statusesTrue(others), bytesTrue(others), toldAsDone(others)])
  return [
    ...left,
    ...found.flat(),
    ...effectsOnce(others),
    ...keysOfAll(evidence),
    ...refusedRightly(evidence, refused),
  ]
}

/** Chargebacks whose command failed, and may fail. */
async function refusedOf({ testbed, refusable }: Evidence): Promise<Set<string>> {
  if (refusable.size === 0) return new Set()
  const rows = await testbed.stack.db
    .selectFrom('command')
    .select('chargeback_id')
    .where('chargeback_id', 'in', [...refusable])
    .where('status', '=', 'failed')
    .execute()
  return new Set(rows.map((row) => row.chargeback_id))
}

/** I3: the PSP applied no command that is `failed`. */
function refusedRightly({ testbed, command, disputes }: Evidence, refused: ReadonlySet<string>): Violation[] {
  return disputes
    .filter(({ chargebackId }) => refused.has(chargebackId))
    .flatMap(({ adapter, reference, chargebackId }) => {
      const { effects } = testbed.engines[adapter].ledger
      if (!effects.some((one) => one.ref === reference && one.kind === command)) return []
      return [{ invariant: 'I3', chargebackId, sentence: 'reported as failed although the PSP applied it' } as const]
    })
}
