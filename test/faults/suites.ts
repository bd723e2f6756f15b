import { ambiguousCells, runAmbiguous } from './ambiguous.ts'
import { left, runBatches } from './batches.ts'
import { type AnyCell, bouts, type Cell, crashCells, type Outcome } from './cells.ts'
import { setClocksWrong } from './clock/clock.ts'
import { runCells } from './crash.ts'
import { DEADLINES_ENV, openDeadlines } from './deadlines/deadlines.ts'
import { breakUploads } from './deadlines/uploads.ts'
import { runShortages } from './disk/disk.ts'
import { beHostile } from './hostile/hostile.ts'
import { ingestionCells, prepareIngestion, runPollCells } from './ingestion/ingestion.ts'
import { type RotationCell, rotationCells, runRotationCells } from './integrations/rotation.ts'
import { migrateUnderLoad } from './migrations/migrations.ts'
import { runNetworkFaults } from './net/net.ts'
import { notifyAll } from './notifications/notifications.ts'
import { packageCells } from './packages/package-cells.ts'
import { runPackageCells } from './packages/packages.ts'
import { preparePackages } from './packages/prepare-packages.ts'
import { poisonOnce } from './poison.ts'
import { recover } from './recovery.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'
import { plantBugs } from './seeded-bugs.ts'
import { soak } from './soak/soak.ts'
import type { Testbed } from './testbed/prepare.ts'
import { faultWebhooks } from './webhooks/webhooks.ts'

export interface Suite {
  title: string
  /** Runs when no suite is named. */
  byDefault: boolean
  run(options: SuiteOptions): Promise<SuiteOutcome[]>
}

/** Forty commands wait for each other: the first must still be held when the last one arrives. */
const PATIENT = { RECOUP_COMMAND_TIMEOUT_MS: '30000', RECOUP_HEARTBEAT_MS: '20000' }

export const SUITES = {
  crash: {
    title: 'processes and servers killed, stopped and frozen while commands are at every step',
    byDefault: true,
    async run(options) {
      const { cells, skipped } = crashCells(options)
      return runBatches({ groups: bouts(cells), skipped, strike: runCells }, options)
    },
  },
  ambiguous: {
    title: 'ambiguous responses of the PSP, at every request',
    byDefault: true,
    async run(options) {
      const { groups, skipped } = ambiguousCells(options)
      return runBatches({ groups, skipped, strike: runAmbiguous, env: options.reduced ? {} : PATIENT }, options)
    },
  },
  deadlines: {
    title: 'due dates that pass, humans at the PSP’s dashboard, interrupted uploads',
    byDefault: true,
    async run(options) {
      const { groups, skipped, strike } = openDeadlines(options)
      const outcomes = await runBatches({ groups, skipped, strike, env: DEADLINES_ENV }, options)
      return [...outcomes, ...(await breakUploads(options))]
    },
  },
  ingestion: {
    title: 'faults in worker, Temporal and Postgres while polls are at every step of a page; Temporal’s database wiped',
    byDefault: true,
    async run(options) {
      const { groups, skipped } = ingestionCells(options)
      const prepare = () => prepareIngestion(options)
      return runBatches({ groups, skipped, strike: runPollCells, prepare }, options)
    },
  },
  packages: {
    title: 'faults in the worker and in servers while packages of evidence are built and submitted automatically',
    byDefault: true,
    run(options) {
      const { groups, skipped } = packageCells(options)
      const prepare = () => preparePackages(groups)
      return runBatches({ groups, skipped, strike: runPackageCells, prepare }, options)
    },
  },
  rotation: {
    title: 'faults in processes and servers while the secrets of integrations are rotated',
    byDefault: true,
    run: (options) => runBatches({ groups: rotationCells(options), skipped: [], strike: runRotationCells }, options),
  },
  net: {
    title: 'network faults and invalid responses of polled PSPs, and network faults to Postgres and Temporal',
    byDefault: true,
    run: runNetworkFaults,
  },
  notifications: {
    title: 'repeated, late, early, out-of-order and forged notifications, and floods of them',
    byDefault: true,
    async run(options) {
      await using testbed = await prepareIngestion(options)
      const outcomes = await notifyAll(testbed, options)
      return [...outcomes, ...(await left(testbed, options.print))]
    },
  },
  webhooks: {
    title: 'workers and servers killed, stopped and frozen while webhooks are sent and replayed',
    byDefault: true,
    run: faultWebhooks,
  },
  poison: {
    title: 'one malformed object among thousands: only that object is quarantined',
    byDefault: true,
    run: poisonOnce,
  },
  clock: {
    title: 'worker, API or both with a clock that is an hour or a day off',
    byDefault: true,
    run: (options) => setClocksWrong(options, left),
  },
  disk: {
    title: 'full disks, no file descriptors, no memory, failing I/O in Postgres, API and worker',
    byDefault: true,
    run: (options) => runShortages(options, left),
  },
  migrations: {
    title:
      'every migration since 0015 over a million rows, while the service writes and another transaction locks the tables',
    byDefault: true,
    run: migrateUnderLoad,
  },
  hostile: {
    title: 'hostile files, slow clients, and floods by strangers and by another tenant, next to honest tenants',
    byDefault: true,
    run: beHostile,
  },
  recovery: {
    title: 'recovery times after a kill',
    byDefault: true,
    run: recover,
  },
  soak: {
    title: 'all at once, for an hour or `--minutes`: load, failing PSP responses, a fault every ten seconds',
    byDefault: false,
    run: soak,
  },
  'seeded-bugs': {
    title: 'bugs planted in a copy of the source tree: the fault tests must find each one',
    byDefault: false,
    run: plantBugs,
  },
} satisfies Record<string, Suite>
export type SuiteName = keyof typeof SUITES

/**
 * Three suites in one environment, for `npm run test:full`: starting an environment takes longer than the few cells.
 */
export async function crashDeadlinesAndRotation(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const { cells, skipped } = crashCells(options)
  const late = openDeadlines(options)
  const rotations = rotationCells(options)
  const strike = (testbed: Testbed, group: readonly AnyCell[]): Promise<Outcome<AnyCell>[]> => {
    if (rotations.some((one) => one === group)) return runRotationCells(testbed, group as RotationCell[])
    const own = group as Cell[]
    return late.cells.includes(own[0] as Cell) ? late.strike(testbed, own) : runCells(testbed, own)
  }
  return runBatches<AnyCell>({ groups: [...bouts(cells), ...late.groups, ...rotations], skipped, strike }, options)
}
