import type { FaultPoint } from '../../harness/fault-points/points.ts'
import type { Hold, Step } from '../steps.ts'

export interface RotationStep extends Step<'rotation'> {
  /** Everybody who starts runs is held there, whatever the run is about. */
  everybody?: true
}

const worker = (point: FaultPoint): Hold => ({ at: 'point', point, by: 'worker' })

function step(key: string, title: string, point: FaultPoint, more: Partial<RotationStep> = {}): RotationStep {
  return { key, command: 'rotation', title, hold: worker(point), impossible: () => null, ...more }
}

/** In the order of a replacement. */
export const ROTATION_STEPS: readonly RotationStep[] = [
  step('candidate_stored', 'the new secret is stored, nobody has taken it up', 'dispatch.before_claim', {
    everybody: true,
  }),
  step('before_check', 'its check has begun, the PSP was not asked', 'rotate.before_check'),
  step('after_check', 'the PSP takes it, nothing is replaced', 'rotate.after_check'),
  step('during_swap', 'in the transaction that replaces the old one', 'rotate.during_swap'),
  step('after_end', 'replaced, the run does not know', 'rotate.after_end'),
]
