import { hurryOutbox } from '../crash.ts'
import { brokenBy } from '../invariants/all.ts'
import { ingestedTrue } from '../invariants/ingested.ts'
import { nothingOpen } from '../invariants/leftovers.ts'
import { explained } from '../invariants/linearizable.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import type { Watch } from '../testbed/clients.ts'
import type { Connected } from '../testbed/connected.ts'
import { allPolled, askPolls } from '../testbed/polls.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { allTold } from './accounts.ts'
import type { Life } from './lives.ts'

/** Maximum examples of violations for each invariant. */
const QUOTED = 5

/** Checks every invariant, after the last fault and after each account was polled to the end of its list. */
export async function atRest(
  testbed: Testbed,
  accounts: readonly Connected[],
  lives: readonly Life[],
  watch: Watch,
): Promise<SuiteOutcome[]> {
  const ids = accounts.map(({ integrationId }) => integrationId)
  await hurryOutbox(testbed)
  const undelivered = await allTold(testbed, accounts)
  const since = new Date()
  await askPolls(testbed, ids)
  const slow = await allPolled(testbed, ids, { since })
  await watch.stop()
  const ingested: string[] = []
  for (const connected of accounts)
    for (const sentence of await ingestedTrue(testbed, connected)) ingested.push(`${connected.account}: ${sentence}`)
  const open = (await nothingOpen(testbed, ids)).map(({ about, sentence }) => `I14: ${about ?? 'all'}: ${sentence}`)
  return [
    outcome('commands', 'each command has one effect, has ended, and is reported correctly', await commands()),
    outcome(
      'clients',
      'one order of the requests about a chargeback explains all responses',
      lives.flatMap(unexplained),
    ),
    outcome('chargebacks', 'our chargebacks equal the PSPs’ disputes field by field, and so do their sums', ingested),
    outcome('polls', 'every account is polled to the end of its list, nothing is left open', [
      ...undelivered,
      ...slow.map(({ about, sentence }) => `${about}: ${sentence}`),
      ...open,
    ]),
  ]

  async function commands(): Promise<string[]> {
    const sentences: string[] = []
    for (const command of ['acceptance', 'submission'] as const) {
      const own = lives.filter((life) => life.command === command)
      if (own.length === 0) continue
      const disputes = own.map(({ dispute }) => dispute)
      const clients = own.flatMap((life) => life.clients.slice(0, 1))
      const found = await brokenBy({ testbed, command, disputes, clients, watch, refusable: new Set() })
      for (const { invariant, chargebackId, sentence } of found)
        sentences.push(`${invariant}: ${chargebackId ?? 'all'}: ${sentence}`)
    }
    return sentences
  }

  function unexplained({ dispute: { adapter, reference, chargebackId }, history }: Life): string[] {
    const of = (kind: string) =>
      testbed.engines[adapter].ledger.effects.filter((one) => one.ref === reference && one.kind === kind).length
    const effects = { acceptance: of('acceptance'), submission: of('submission') }
    const sentence = explained(history.operations, { chargebackId, others: false }, effects)
    return sentence === null ? [] : [`${chargebackId}: ${sentence}`]
  }
}

function outcome(name: string, title: string, broken: string[]): SuiteOutcome {
  const why = broken.length > QUOTED ? [...broken.slice(0, QUOTED), `and ${broken.length - QUOTED} more`] : broken
  return { name, title, result: broken.length > 0 ? 'failed' : 'passed', why }
}
