import { ambiguousCells, spoilOnce } from './ambiguous.ts'
import { left, runBouts } from './bouts.ts'
import { type AnyCell, bouts, type Cell, crashCells, type Outcome } from './cells.ts'
import { setClocksWrong } from './clock/clock.ts'
import { strikeOnce } from './crash.ts'
import { DEADLINES_ENV, openDeadlines } from './deadlines/deadlines.ts'
import { breakUploads } from './deadlines/uploads.ts'
import { strikeResources } from './disk/disk.ts'
import type { Ground } from './ground/prepare.ts'
import { beHostile } from './hostile/hostile.ts'
import { ingestionCells, prepareIngestion, strikePolls } from './ingestion/ingestion.ts'
import { type RotationCell, rotationCells, strikeRotations } from './integrations/rotation.ts'
import { migrateUnderLoad } from './migrations/migrations.ts'
import { troubleOnce } from './net/net.ts'
import { notifyAll } from './notifications/notifications.ts'
import { poisonOnce } from './poison.ts'
import { recover } from './recovery.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'
import { plantBugs } from './seeded-bugs.ts'
import { soak } from './soak/soak.ts'

export interface Suite {
  title: string
  /** Runs when no suite is named. */
  byDefault: boolean
  run(options: SuiteOptions): Promise<SuiteOutcome[]>
}

/** Forty commands wait for each other: the first must still stand before its request when the last has come. */
const PATIENT = { RECOUP_COMMAND_TIMEOUT_MS: '30000', RECOUP_HEARTBEAT_MS: '20000' }

export const SUITES = {
  crash: {
    title: 'processes and servers killed, ended, frozen while commands are at every step',
    byDefault: true,
    async run(options) {
      const { cells, skipped } = crashCells(options)
      return runBouts({ groups: bouts(cells), skipped, strike: strikeOnce }, options)
    },
  },
  ambiguous: {
    title: 'answers of the PSP that leave in doubt what happened, at every request',
    byDefault: true,
    async run(options) {
      const { groups, skipped } = ambiguousCells(options)
      return runBouts({ groups, skipped, strike: spoilOnce, env: options.reduced ? {} : PATIENT }, options)
    },
  },
  deadlines: {
    title: 'due dates that pass, humans at the PSP’s dashboard, uploads that break off',
    byDefault: true,
    async run(options) {
      const { groups, skipped, strike } = openDeadlines(options)
      const struck = await runBouts({ groups, skipped, strike, env: DEADLINES_ENV }, options)
      return [...struck, ...(await breakUploads(options))]
    },
  },
  ingestion: {
    title: 'worker, Temporal and Postgres struck while polls are at every step of a page, and Temporal wiped',
    byDefault: true,
    async run(options) {
      const { groups, skipped } = ingestionCells(options)
      const prepare = () => prepareIngestion(options)
      return runBouts({ groups, skipped, strike: strikePolls, prepare }, options)
    },
  },
  rotation: {
    title: 'processes and servers struck while the keys of integrations are replaced',
    byDefault: true,
    run: (options) => runBouts({ groups: rotationCells(options), skipped: [], strike: strikeRotations }, options),
  },
  net: {
    title: 'trouble on the way to a PSP that lists its disputes, and to our own servers',
    byDefault: true,
    run: troubleOnce,
  },
  notifications: {
    title: 'what PSPs deliver comes often, late, early, in another order, forged, in a flood',
    byDefault: true,
    async run(options) {
      await using ground = await prepareIngestion(options)
      const outcomes = await notifyAll(ground, options)
      return [...outcomes, ...(await left(ground, options.told))]
    },
  },
  poison: {
    title: 'one bad object among thousands costs that one object, visibly',
    byDefault: true,
    run: poisonOnce,
  },
  clock: {
    title: 'worker, API or both with a clock that is an hour or a day off',
    byDefault: true,
    run: (options) => setClocksWrong(options, left),
  },
  disk: {
    title: 'no room, no descriptors, no memory, failing I/O: Postgres, API and worker at their limits',
    byDefault: true,
    run: (options) => strikeResources(options, left),
  },
  migrations: {
    title: 'every migration since 0015 over a million rows, while the service writes and something holds the tables',
    byDefault: true,
    run: migrateUnderLoad,
  },
  hostile: {
    title: 'hostile files, slow clients and floods of strangers and of another tenant, beside an honest one',
    byDefault: true,
    run: beHostile,
  },
  recovery: {
    title: 'how long it takes until everything works again',
    byDefault: true,
    run: recover,
  },
  soak: {
    title:
      'everything at once, for an hour or `--minutes`: load, a PSP that fails now and then, a strike every ten seconds',
    byDefault: false,
    run: soak,
  },
  'seeded-bugs': {
    title: 'bugs planted in a copy of the tree: the fault tests have to find each of them',
    byDefault: false,
    run: plantBugs,
  },
} satisfies Record<string, Suite>
export type SuiteName = keyof typeof SUITES

/** Three suites on one ground, as `npm run test:full` has them: making a ground takes longer than the few cells. */
export async function crashDeadlinesAndRotation(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const { cells, skipped } = crashCells(options)
  const late = openDeadlines(options)
  const rotations = rotationCells(options)
  const strike = (ground: Ground, group: readonly AnyCell[]): Promise<Outcome<AnyCell>[]> => {
    if (rotations.some((one) => one === group)) return strikeRotations(ground, group as RotationCell[])
    const own = group as Cell[]
    return late.cells.includes(own[0] as Cell) ? late.strike(ground, own) : strikeOnce(ground, own)
  }
  return runBouts<AnyCell>({ groups: [...bouts(cells), ...late.groups, ...rotations], skipped, strike }, options)
}
