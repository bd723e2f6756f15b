import { sql } from 'kysely'
import { chanceOf, type FaultName, type Outcome } from '../cells.ts'
import { hurryOutbox } from '../crash.ts'
import { allEnded } from '../ends.ts'
import { allReached, type Held, holdAt } from '../testbed/holding.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import { FAULT_ACTIONS } from '../testbed/victims.ts'
import type { PackageCell } from './package-cells.ts'
import { packagesTrue, submittedTrue } from './package-checks.ts'
import { allBuilt, changeData } from './prepare-packages.ts'

/** A worker that died is noticed after 20 s without a heartbeat, a lost run by the next sweep. */
const END_MS = 150_000

interface Packed {
  cell: PackageCell
  dispute: Dispute
  held: Held
}

/** One fault against builds, or against automatic submissions: holds them, injects it, releases and checks them. */
export async function runPackageCells(
  testbed: Testbed,
  cells: readonly PackageCell[],
): Promise<Outcome<PackageCell>[]> {
  const [first] = cells
  if (!first) return []
  const packed: Packed[] = []
  for (const cell of cells) {
    const dispute = testbed.take(cell.adapter)
    packed.push({ cell, dispute, held: await holdAt(testbed, cell.step as never, dispute) })
  }
  for (const [index, { cell, dispute }] of packed.entries()) {
    if (cell.step.command === 'build') await changeData(testbed, dispute.chargebackId, { orderId: `order ${index}` })
    else
      await sql`update chargeback set automatic_hold = false where id = ${dispute.chargebackId}`.execute(
        testbed.stack.db,
      )
  }
  const missing = await allReached(packed, 120_000)
  const done = (some: readonly Packed[]) => finished(testbed, some)
  // A transaction of a frozen process keeps its locks.
  const free = packed.filter(({ cell: { step } }) => step.hold.at === 'point' && !step.hold.point.includes('.during_'))
  const afterwards = await FAULT_ACTIONS[first.strike as FaultName](testbed, {
    chance: chanceOf(first.seed, first.strike),
    about: [],
    disputes: packed.map(({ dispute }) => dispute),
    free: [],
    release: async () => void (await Promise.all(packed.map(({ held }) => held.release()))),
    takenOver: () => done(free).catch(() => undefined),
  })
  await hurryOutbox(testbed)
  const slow = await done(packed).then(
    () => [],
    (error: Error) => [error.message],
  )
  const wrong = (await afterwards?.()) ?? []
  const outcomeOf = async ({ cell, dispute, held }: Packed): Promise<Outcome<PackageCell>> => {
    const why = [...slow, ...wrong.map(({ sentence }) => sentence)]
    if (missing.has(packed.find((one) => one.held === held) as Packed)) why.push('it never reached this step')
    why.push(...(await packagesTrue(testbed, dispute, cell.step.command)))
    if (cell.step.command === 'automatic submission') why.push(...(await submittedTrue(testbed, dispute)))
    return { cell, result: why.length > 0 ? 'failed' : 'passed', why }
  }
  return Promise.all(packed.map(outcomeOf))
}

/** Waits until packages are built and commands have ended. @throws on a time-out */
async function finished(testbed: Testbed, some: readonly Packed[]): Promise<void> {
  const of = (work: PackageCell['step']['command']) =>
    some.filter(({ cell }) => cell.step.command === work).map(({ dispute }) => dispute)
  const [builds, submissions] = [of('build'), of('automatic submission')]
  await allBuilt(
    testbed,
    builds.map(({ chargebackId }) => chargebackId),
    END_MS,
  )
  if (submissions.length > 0) await allEnded(testbed, submissions, END_MS)
}
