import type { EvidencePacket, EvidenceRequirements, SubmissionPlan } from '../contract.ts'
import { planEvidence } from '../evidence-plan.ts'
import { REST } from './evidence-limits.ts'

/** Each file to its place or to `other`, then submitted at once: nothing can be staged at the sandbox PSP. */
export function planSubmission(requirements: EvidenceRequirements, packet: EvidencePacket): SubmissionPlan {
  return planEvidence(requirements, packet, { mode: 'single_shot', rest: REST })
}
