import fc from 'fast-check'
import type { Subject } from '../../adapters/conformance/subject.ts'
import type { Capabilities } from '../../adapters/contract.ts'
import { LIFECYCLE_STAGES } from '../../domain/chargeback.ts'
import * as clients from './client-commands.ts'
import type { Command } from './command.ts'
import type { Arrival, Pace } from './notifications.ts'
import * as psps from './psp-commands.ts'
import type { FaultName } from './worker.ts'
import * as workers from './worker-commands.ts'

/** If links decide, no stage is refused before the PSP is called. */
const stagesOf = (of: Capabilities['accept'] | Capabilities['contest']) =>
  of ? (of.decidedBy === 'link' ? LIFECYCLE_STAGES : of.stages) : []

/** Everything that may happen in a life, weighted by how much it tests. */
export function commandsFor(subject: Subject): fc.Arbitrary<Command> {
  const { capabilities } = subject.definition
  const stages = {
    acceptStages: stagesOf(capabilities.accept),
    contestStages: stagesOf(capabilities.contest),
  }
  const open = subject.simulator.profile.situations.filter((one) => one.status === 'needs_response' && one.open)
  const openStages = [...new Set(open.map((one) => one.stage))]
  const which = fc.nat(psps.MAX_DISPUTES - 1)
  const inline = fc.constantFrom(true, true, true, false)
  const strike: fc.Arbitrary<FaultName> = fc.record({
    how: HOW,
    nth: fc.integer({ min: 1, max: 14 }),
  })
  /** A poll reaches few fault points. */
  const pollStrike: fc.Arbitrary<FaultName> = fc.record({ how: HOW, nth: fc.integer({ min: 1, max: 2 }) })
  const weighted: Weighted[] = [
    [4, fc.record({ stage: fc.constantFrom(...favoured(openStages)), dueInHours: DUE }).map(psps.opening)],
    [6, fc.record({ which, inline }).map((of) => clients.asking(of, { kind: 'acceptance', fileId: null, ...stages }))],
    [
      9,
      fc
        .record({ which, inline, file: fc.constantFrom(0, 0, 0, 1) })
        .map((of) => clients.asking(of, { kind: 'evidence_submission', fileId: '', ...stages })),
    ],
    [2, fc.record({ which, fight: fc.boolean() }).map(clients.fighting)],
    [2, fc.option(fc.constantFrom(...openStages), { nil: null }).map(clients.ruling)],
    [9, fc.constant(workers.working())],
    [10, strike.map(workers.struck)],
    [4, fc.constant(workers.thawing())],
    [
      8,
      fc
        .record({
          ...{ kind: WRITE_FAULT, times: fc.constantFrom(1, 1, 2), after: fc.nat(2) },
          match: fc.constantFrom(...psps.writesOf(subject)),
        })
        .map(psps.faulting),
    ],
    [2, fc.record({ kind: READ_FAULT, match: fc.constantFrom(...psps.readsOf(subject)) }).map(psps.faultingReads)],
    [5, fc.record({ which, outcome: OUTCOME }).map(psps.deciding)],
    [4, fc.option(pollStrike, { nil: null, freq: 2 }).map(workers.polling)],
    [2, which.map(psps.notifying)],
    [5, fc.constant(workers.reconciling())],
    [2, fc.nat(5).map(workers.terminating)],
    [1, fc.constant(workers.wiping())],
    [1, fc.constant(workers.leaving())],
    [6, fc.constant(workers.returning())],
    [6, PAUSE.map(psps.passing)],
    ...(capabilities.listing === 'inbox' ? NOTIFICATIONS : []),
  ]
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
}

type Weighted = [number, fc.Arbitrary<Command>]

const HOW = fc.constantFrom<FaultName['how'][]>('dies', 'freezes')
const READ_FAULT = fc.constantFrom(...psps.READ_FAULTS)
/** For a PSP that can't be read, only sends notifications. */
const NOTIFICATIONS: readonly Weighted[] = [
  [4, fc.constantFrom<Pace[]>('at once', 'soon', 'late', 'late').map(psps.pacing)],
  [4, fc.constantFrom<Arrival[]>('as sent', 'newest first', 'newest only', 'twice').map(psps.arriving)],
]
/** Hours: within the data window, near its end, and before it. */
const DUE = fc.constantFrom(14, 60, 90, 300)
/** Minutes: between polls, beyond a data window, the 23 hours of a key, the 24 of a command, and a due date. */
const PAUSE = fc.constantFrom(2, 2, 2, 30, 30, 180, 180, 13 * 60, 23.2 * 60, 25 * 60, 80 * 60)
const OUTCOME = fc.constantFrom<psps.Decision[]>('won', 'lost', 'reopened', 'reopened', 'reopened', 'under_review')
const WRITE_FAULT = fc.constantFrom(...psps.WRITE_FAULTS)

/** Plain chargebacks and claims are more common than the other stages. */
const favoured = (stages: string[]) => [...stages, ...stages.filter((one) => one === 'chargeback' || one === 'claim')]
