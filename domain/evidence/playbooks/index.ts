import { deliveryPlays } from './delivery.ts'
import { fraudPlays } from './fraud.ts'
import { generalPlays } from './general.ts'
import { overlays } from './overlays.ts'
import type { Playbook, PlayId } from './playbook.ts'
import { processingPlays } from './processing.ts'
import { termsPlays } from './terms.ts'

/** Every playbook, overlays last. */
export const PLAYBOOKS: readonly Playbook[] = [
  ...[...fraudPlays, ...deliveryPlays, ...termsPlays, ...processingPlays, ...generalPlays],
  ...overlays,
]

export const OVERLAYS = overlays

export function playbookOf(play: PlayId): Playbook {
  const found = PLAYBOOKS.find(({ id }) => id === play)
  if (!found) throw new RangeError(`There is no playbook ${play}.`)
  return found
}
