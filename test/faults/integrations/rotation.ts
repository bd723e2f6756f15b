import { setTimeout as pause } from 'node:timers/promises'
import {
  type Cell,
  chanceOf,
  type FaultName,
  isWanted,
  nameOf,
  type Outcome,
  type Selection,
  STRIKES,
  seedsOf,
} from '../cells.ts'
import { hurryOutbox } from '../crash.ts'
import { allEnded, checkEnd } from '../ends.ts'
import { nothingLeft } from '../invariants/leftovers.ts'
import { secretsTrue } from '../invariants/one-secret.ts'
import { toldAsDone } from '../invariants/reported-effects.ts'
import { type Client, requestUntilDefinite } from '../testbed/clients.ts'
import type { Connected } from '../testbed/connected.ts'
import { allReached, type Held, holdAbout, holdAll } from '../testbed/holding.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import { ADAPTERS } from '../testbed/psps.ts'
import { FAULT_ACTIONS } from '../testbed/victims.ts'
import type { Secret } from './keys.ts'
import { replaceKey } from './rotate.ts'
import { ROTATION_STEPS, type RotationStep } from './rotation-steps.ts'

/** Not with a wiped Temporal: it costs the client one more request, which the other faults cover as well. */
const ROTATION_STRIKES = STRIKES.filter((strike) => strike !== 'temporal:wipe')
/** As in `npm run test:full`. */
const REDUCED: readonly string[] = ['worker:kill during_swap']
/** Longer than an attempt and its heartbeat timeout. */
const FROZEN_MS = 12_000
const END_MS = 120_000

export type RotationCell = Cell<RotationStep>
type RotationOutcome = Outcome<RotationCell>

/** Groups of one step at all adapters, because an integration rotates one secret at a time. */
export function rotationCells(selection: Selection): RotationCell[][] {
  const groups = seedsOf(selection).flatMap((seed) =>
    ROTATION_STRIKES.filter((strike) => isWanted(strike, selection)).flatMap((strike) =>
      ROTATION_STEPS.filter(({ key }) => !selection.reduced || REDUCED.includes(`${strike} ${key}`)).map((step) =>
        (selection.adapters ?? ADAPTERS)
          .map((adapter): RotationCell => ({ strike, step, adapter, seed }))
          .filter((cell) => !selection.cell || nameOf(cell) === selection.cell),
      ),
    ),
  )
  const some = groups.filter((group) => group.length > 0)
  if (some.length === 0) throw new Error(`there is no cell ${selection.cell ?? `of the victim ${selection.victim}`}`)
  return some
}

interface Rotation {
  cell: RotationCell
  connected: Connected
  before: Secret
  next: Secret
  /** Its acceptance was requested with the old key; the call to the PSP is not made yet. */
  dispute: Dispute
  client: Client
  held: Held
  replacing: Promise<string[]>
}

/**
 * While an acceptance of each integration is held right before its call, the integration's key is rotated, and a fault
 * hits the rotation at its step. All clients repeat until they get a response; then there is one secret and one effect.
 */
export async function runRotationCells(testbed: Testbed, cells: readonly RotationCell[]): Promise<RotationOutcome[]> {
  const [first] = cells
  if (!first) return []
  const chance = chanceOf(first.seed, nameOf(first))
  const accepting = cells.map((cell) => {
    const dispute = testbed.take(cell.adapter)
    const held = holdAbout(testbed.worker, 'accept.before_call', dispute.chargebackId)
    return { cell, dispute, held, client: requestUntilDefinite(testbed, dispute, { kind: 'accept' }) }
  })
  const missing = new Set([...(await allReached(accepting))].map(({ cell }) => cell))
  const held = heldAt(testbed, first.step, cells)
  const rotations = accepting.map(({ cell, dispute, client }, index): Rotation => {
    const connected = testbed.connections.get(cell.adapter) as Connected
    const [before, next] = [testbed.keys.of(connected), testbed.keys.issue(connected)]
    const replacing = replaceKey(testbed, connected, next)
    return { cell, connected, before, next, dispute, client, held: held[index] as Held, replacing }
  })
  for (const { cell } of await allReached(rotations, 15_000)) missing.add(cell)
  const replaced = Promise.all(rotations.map(({ replacing }) => replacing))
  await FAULT_ACTIONS[first.strike as FaultName](testbed, {
    chance,
    ...{ about: [], disputes: [], free: [] },
    release: async () => {
      for (const one of [...accepting, ...rotations]) await one.held.release()
    },
    takenOver: () => Promise.race([replaced, pause(FROZEN_MS)]).then(() => undefined),
  })
  await hurryOutbox(testbed)
  const violations = await replaced
  // Nothing may need the old key any more.
  for (const { connected, before } of rotations) if (chance() < 0.5) testbed.keys.revoke(connected, before)
  const disputes = rotations.map(({ dispute }) => dispute)
  await Promise.race([Promise.all(rotations.map(({ client }) => client.done)), pause(END_MS)])
  for (const { client } of rotations) client.stop()
  await allEnded(testbed, disputes, END_MS).catch(() => undefined)
  const evidence = { testbed, command: 'acceptance' as const, disputes }
  const left = [...(await nothingLeft(evidence)), ...(await toldAsDone(evidence))]
  return Promise.all(
    rotations.map(async ({ cell, connected, dispute }, index): Promise<RotationOutcome> => {
      const why = [...(violations[index] ?? [])]
      if (missing.has(cell)) why.unshift('the rotation, or the acceptance, never reached its step')
      why.push(...(await checkEnd(testbed, dispute, 'acceptance')), ...(await succeeded(testbed, dispute)))
      why.push(...(await secretsTrue(testbed, connected)))
      const about = left.filter(({ chargebackId }) => chargebackId === null || chargebackId === dispute.chargebackId)
      why.push(...about.map(({ invariant, sentence }) => `${invariant}: ${sentence}`))
      return { cell, result: why.length > 0 ? 'failed' : 'passed', why }
    }),
  )
}

function heldAt(testbed: Testbed, step: RotationStep, cells: readonly RotationCell[]): Held[] {
  if (step.hold.at !== 'point') throw new Error(`${step.key} is no fault point`)
  const { point } = step.hold
  if (!step.everybody)
    return cells.map(({ adapter }) =>
      holdAbout(testbed.worker, point, testbed.connections.get(adapter)?.integrationId as string),
    )
  const both = [holdAll(testbed.api, point), holdAll(testbed.worker, point)]
  const all: Held = {
    reached: async () => (await Promise.all(both.map((one) => one.reached()))).every(Boolean),
    release: async () => void (await Promise.all(both.map((one) => one.release()))),
  }
  return cells.map(() => all)
}

/** I3: the rotation of a key is no reason to fail. */
async function succeeded({ stack: { db } }: Testbed, { chargebackId }: Dispute): Promise<string[]> {
  const rows = await db
    .selectFrom('command')
    .select(['status', 'error'])
    .where('chargeback_id', '=', chargebackId)
    .execute()
  return rows.length === 1 && rows[0]?.status === 'succeeded'
    ? []
    : [`I3: the acceptance is ${rows.map(({ status, error }) => `${status}: ${error}`).join() || 'not there'}`]
}
