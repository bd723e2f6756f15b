import { commandsEnd } from '../invariants/commands.ts'
import { effectsOnce } from '../invariants/effects.ts'
import { nothingLeft } from '../invariants/leftovers.ts'
import { statusesTrue } from '../invariants/psp-status.ts'
import { toldAsDone } from '../invariants/reported-effects.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import type { PackageWork } from './package-steps.ts'

/**
 * I4: one package of the round counts, and each one before it is superseded without its content. I6: its PDF is stored
 * whole, and no PDF without a package is left. I10: the timeline has each version once.
 */
export async function packagesTrue(testbed: Testbed, dispute: Dispute, work: PackageWork): Promise<string[]> {
  const { db } = testbed.stack
  const why: string[] = []
  const own = await db
    .selectFrom('evidence_package as p')
    .leftJoin('file as f', 'f.file_id', 'p.file_id')
    .select(['p.version', 'p.state', 'p.content_sealed', 'p.file_id', 'f.content_sealed as pdf'])
    .where('p.chargeback_id', '=', dispute.chargebackId)
    .orderBy('p.version')
    .execute()
  const states = own.map(({ state }) => state)
  const last = own.at(-1)
  const wanted = work === 'build' ? 'current' : 'frozen'
  if (last?.state !== wanted || states.filter((state) => state !== 'superseded').length !== 1)
    why.push(`I4: its packages are ${states.join(', ')}`)
  if (own.slice(0, -1).some((one) => one.content_sealed !== null || one.pdf !== null))
    why.push('I4: a superseded package has kept its content')
  if (!last?.content_sealed || !last.pdf) why.push('I6: the package has no content')
  const told = await db
    .selectFrom('timeline_event')
    .select('after')
    .where('chargeback_id', '=', dispute.chargebackId)
    // On a machine without time a build may fail, and be tried again later.
    .where('what', 'in', ['evidence package built', 'evidence package refused'])
    .execute()
  const versions = told.map(({ after }) => (after as { version?: number } | null)?.version).sort()
  if (versions.join() !== own.map(({ version }) => version).join())
    why.push(`I10: the timeline has the versions ${versions.join()}, the rows ${own.map((one) => one.version).join()}`)
  const orphans = await db
    .selectFrom('file as f')
    .leftJoin('evidence_package as p', 'p.file_id', 'f.file_id')
    .select('f.file_id')
    .where('f.origin', '=', 'built')
    .where('p.package_id', 'is', null)
    .execute()
  if (orphans.length > 0) why.push(`I6: ${orphans.length} PDFs belong to no package`)
  const effects = testbed.engines[dispute.adapter].ledger.effects.filter((one) => one.ref === dispute.reference)
  if (work === 'build' && effects.length > 0) why.push('I2: a build had an effect at the PSP')
  return why
}

/** The invariants of a client's submission, and I6: the PSP has the bytes of the frozen package. */
export async function submittedTrue(testbed: Testbed, dispute: Dispute): Promise<string[]> {
  const { db } = testbed.stack
  const watch = { seen: new Map(), stop: async () => undefined } as never
  const about = { testbed, disputes: [dispute], clients: [], watch, refusable: new Set<string>() }
  const evidence = { ...about, command: 'submission' as const }
  const found = await Promise.all([
    nothingLeft(evidence),
    commandsEnd(evidence),
    statusesTrue(evidence),
    toldAsDone(evidence),
  ])
  const why = [...found.flat(), ...effectsOnce(evidence)].map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
  const frozen = await db
    .selectFrom('evidence_package as p')
    .innerJoin('file as f', 'f.file_id', 'p.file_id')
    .select('f.sha256')
    .where('p.chargeback_id', '=', dispute.chargebackId)
    .where('p.state', '=', 'frozen')
    .execute()
  const hashes = frozen.map(({ sha256 }) => sha256.toString('hex'))
  const { effects } = testbed.engines[dispute.adapter].ledger
  if (!effects.some((one) => one.kind === 'upload' && hashes.includes(String(one.details.sha256))))
    why.push('I6: the PSP has not the bytes of the frozen package')
  const commands = await db
    .selectFrom('command')
    .select('credential_id')
    .where('chargeback_id', '=', dispute.chargebackId)
    .execute()
  if (commands.some((one) => one.credential_id !== null)) why.push('I3: a client requested it')
  return why
}
