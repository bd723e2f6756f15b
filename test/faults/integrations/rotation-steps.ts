import type { FaultPoint } from '../../harness/fault-points/points.ts'
import type { Hold, Step } from '../steps.ts'

export interface RotationStep extends Step<'rotation'> {
  /** Holds every process that starts workflow runs, for any run. */
  everybody?: true
}

const worker = (point: FaultPoint): Hold => ({ at: 'point', point, by: 'worker' })

function step(key: string, title: string, point: FaultPoint, more: Partial<RotationStep> = {}): RotationStep {
  return { key, command: 'rotation', title, hold: worker(point), impossible: () => null, ...more }
}

/** In the order of a rotation. */
export const ROTATION_STEPS: readonly RotationStep[] = [
  step('candidate_stored', 'the new secret is stored, its rotation has not started', 'dispatch.before_claim', {
    everybody: true,
  }),
  step('before_check', 'its check has started, the PSP was not called', 'rotate.before_check'),
  step('after_check', 'the PSP accepts the new secret, nothing is replaced', 'rotate.after_check'),
  step('during_swap', 'in the transaction that replaces the old secret', 'rotate.during_swap'),
  step('after_end', 'the secret is replaced, the workflow run is still open', 'rotate.after_end'),
]
