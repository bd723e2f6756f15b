import type { FaultPoint } from '../../harness/fault-points/points.ts'
import { type Contest, STEPS, type Step } from '../steps.ts'

export type PackageWork = 'build' | 'automatic submission'

export interface PackageStep extends Step<PackageWork> {
  /** How many can be held at once: a worker builds two packages, and its sweeps go from one chargeback to the next. */
  together: number
}

const step = (
  command: PackageWork,
  key: string,
  title: string,
  point: FaultPoint,
  more: { together: number; impossible?: (contest: Contest) => string | null },
): PackageStep => ({
  ...{ command, key, title, hold: { at: 'point', point, by: 'worker' }, impossible: () => null },
  ...more,
})

const BUILDS = { together: 2 }
const SWEEPS = { together: 1 }
const COMMANDS = { together: 40 }

const NO_UPLOAD = 'an upload is found by its text, and the text of a built PDF is compressed'

/** The steps of any submission, in the worker and at the PSP, for the package that was frozen. */
const SENDING = STEPS.flatMap(({ command, key, title, hold, impossible, twoDocuments }): PackageStep[] => {
  const inWorker = hold.at === 'point' && hold.by === 'worker'
  if (command !== 'submission' || twoDocuments || !(inWorker || hold.at === 'wire')) return []
  const isUpload = hold.at === 'wire' && hold.request !== 'submit'
  return [
    {
      ...{ command: 'automatic submission', key: key.replace('evidence_', 'automatic_'), title, hold, ...COMMANDS },
      impossible: (contest) => impossible(contest) ?? (isUpload ? NO_UPLOAD : null),
    },
  ]
})

/** In the order in which they happen. */
export const PACKAGE_STEPS: readonly PackageStep[] = [
  step(
    'build',
    'build_before_start',
    'data has changed, the sweep is about to start the build',
    'build.before_start',
    SWEEPS,
  ),
  step('build', 'build_after_start', 'the workflow run has started, the sweep goes on', 'build.after_start', SWEEPS),
  step(
    'build',
    'build_before_limits',
    'the build has begun, the PSP was not asked what it takes',
    'build.before_limits',
    BUILDS,
  ),
  step('build', 'build_before_render', 'composed, not rendered', 'build.before_render', BUILDS),
  step('build', 'build_before_store', 'rendered, nothing is stored', 'build.before_store', BUILDS),
  step(
    'build',
    'build_during_store',
    'in the transaction that stores package, file and timeline row',
    'build.during_store',
    BUILDS,
  ),
  step('build', 'build_after_store', 'stored, the workflow run has not ended', 'build.after_store', BUILDS),
  step(
    'automatic submission',
    'automatic_before_request',
    'due by its policy, nothing is locked',
    'automatic.before_request',
    SWEEPS,
  ),
  step(
    'automatic submission',
    'automatic_during_request',
    'in the transaction that freezes the package and requests its submission',
    'automatic.during_request',
    SWEEPS,
  ),
  step(
    'automatic submission',
    'automatic_before_start',
    'requested, the sweep is about to start the workflow run',
    'dispatch.before_start',
    SWEEPS,
  ),
  step(
    'automatic submission',
    'automatic_after_start',
    'the workflow run has started, its outbox message is still open',
    'dispatch.after_start',
    SWEEPS,
  ),
  ...SENDING,
]
