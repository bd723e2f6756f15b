import type { DisputePlan, ReasonWord, Situation } from './contract.ts'

/** Helpers to define a PSP's situations and reasons, and to read them from a plan. */

/** A situation in which the merchant has to answer. */
export function openSituation(
  word: string,
  stage: Situation['stage'],
  variant: string,
  reasonKinds: readonly string[],
): Situation {
  return { word, status: 'needs_response', stage, open: true, variant, reasonKinds }
}

/** A situation in which the merchant can do nothing. */
export function closedSituation(
  word: string,
  status: Situation['status'],
  stage: Situation['stage'],
  variant: string,
  reasonKinds: readonly string[],
): Situation {
  return { word, status, stage, open: false, variant, reasonKinds }
}

/** A card network's reason code with the PSP's own value. */
export function cardReason(scheme: ReasonWord['scheme'], code: string, word: string): ReasonWord {
  return { kind: 'card', scheme, code, word }
}

/** @throws for a plan with other situations */
export function plannedSituation(situations: readonly Situation[], plan: DisputePlan): Situation {
  const found = situations[plan.situation]
  if (!found) throw new Error(`no situation ${plan.situation}`)
  return found
}

/** @throws for a plan with other reasons */
export function plannedReason(reasons: readonly ReasonWord[], plan: DisputePlan): ReasonWord {
  const found = reasons[plan.reason]
  if (!found) throw new Error(`no reason ${plan.reason}`)
  return found
}
